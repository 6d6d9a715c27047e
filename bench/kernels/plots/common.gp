# Colours and marks that mean the same in every figure: 1 to 20 for libraries, topbit's first, 21 and more for loops and
# peaks. plot_data.cpp knows which is whose.
set terminal svg size width, height dynamic font 'Helvetica,13' background rgb 'white'
set output out
set datafile separator tab
set datafile missing '-'
set style line 1 lc rgb '#0b5cad' lw 3 pt 7 ps 0.7
set style line 2 lc rgb '#d95f02' lw 1.6 pt 5 ps 0.6
set style line 3 lc rgb '#e6a100' lw 1.6 pt 4 ps 0.6
set style line 4 lc rgb '#1b9e77' lw 1.6 pt 9 ps 0.7
set style line 5 lc rgb '#7a3fa0' lw 1.6 pt 11 ps 0.7
set style line 6 lc rgb '#c77ddb' lw 1.6 pt 10 ps 0.7
set style line 7 lc rgb '#5d4037' lw 1.6 pt 13 ps 0.7
set style line 21 lc rgb '#606060' lw 1.5 dt (6, 4)
set style line 22 lc rgb '#202020' lw 1.5 dt (2, 3)
set style line 23 lc rgb '#404040' lw 1.5 dt (10, 3, 2, 3)
set style line 24 lc rgb '#a0a0a0' lw 1.5 dt (10, 3, 2, 3)
set style line 50 lc rgb '#e4e4e4' lw 0.8
set grid xtics ytics ls 50
set border 3 lc rgb '#606060'
set tics nomirror textcolor rgb '#303030'
