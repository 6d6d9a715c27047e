# Rates over sizes, a panel for each operation, one legend below all of them. `linear`: the rates begin at 0; `doubling`:
# sizes are powers of two.
load data.'/'.figure.'.gp'
across = panels == 1 ? 1 : panels <= 4 ? 2 : 3
down = int(ceil(panels / real(across)))
width = across == 1 ? 760 : 360 * across
height = (across == 1 ? 430 : 250 * down) + 90
load scripts.'/common.gp'
low = 76.0 / height
set multiplot layout down, across margins 84.0 / width, 1 - 24.0 / width, low + 50.0 / height, 1 - 30.0 / height \
  spacing 84.0 / width, 66.0 / height
if (linear) { set logscale x; set yrange [0:*] } else { set logscale xy; set yrange [*:*]; set format y '%g' }
if (doubling) { set xtics (16, 32, 64, 128, 256, 512, 1024, 2048); set xrange [14:2300] } else { set format x '10^{%T}' }
set autoscale xfix
unset key
do for [p = 1:panels] {
  set title titles[p] offset 0, -0.4
  if (p > panels - across) { set xlabel xname offset 0, 0.3 } else { unset xlabel }
  if (p % across == 1 || across == 1) { set ylabel unit offset 1.5, 0 } else { unset ylabel }
  plot for [i = 1:loops] data.'/'.files[p] using 1:(column(i + 1 + libraries)) skip 1 with lines \
         ls (i > loops ? 1 : styles[i + libraries]), \
       for [i = libraries:1:-1] data.'/'.files[p] using 1:(column(i + 1)) skip 1 with linespoints ls styles[i]
}
unset title; unset xlabel; unset ylabel; unset tics; unset border; unset grid; unset logscale
set lmargin screen 0.02; set rmargin screen 0.98; set bmargin screen 0; set tmargin screen low
set xrange [0:1]; set yrange [0:1]
set key inside center center horizontal maxrows 3 width 1 samplen 2.5
plot for [i = 1:libraries] NaN with linespoints ls styles[i] title names[i], \
     for [i = 1:loops] NaN with lines ls (i > loops ? 1 : styles[i + libraries]) title (i > loops ? '' : names[i + libraries])
unset multiplot
