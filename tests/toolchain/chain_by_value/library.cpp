module fact.library;

constinit int live = 0, withdrawn = 0;
