# How exact and how fast a function is, a panel for each; up and left is better. Right of the line nothing is compared.
load data.'/accuracy.gp'
across = 3
down = int(ceil(panels / real(across)))
width = 360 * across
height = 240 * down + 80
load scripts.'/common.gp'
low = 56.0 / height
set multiplot layout down, across margins 84.0 / width, 1 - 24.0 / width, low + 54.0 / height, 1 - 30.0 / height \
  spacing 84.0 / width, 66.0 / height
set logscale xy
set format y '%g'
set xrange [0.4:100]
set yrange [0.05:20]
set xtics ('0.5' 0.5, '1' 1, '2' 2, '4' 4, '10' 10, '≥ 64' 64)
unset key
set arrow 1 from 2, graph 0 to 2, graph 1 nohead lc rgb '#a0a0a0' lw 1.5 dt (6, 4) back
do for [p = 1:panels] {
  set title titles[p] offset 0, -0.4
  if (p > panels - across) { set xlabel 'greatest error, ulp' offset 0, 0.3 } else { unset xlabel }
  if (p % across == 1) { set ylabel '1e9 elements/s' offset 1.5, 0 } else { unset ylabel }
  plot for [i = libraries:1:-1] data.'/'.files[p] using 1:(column(i + 1)) skip 1 with points ls styles[i] ps 1.2
}
unset title; unset xlabel; unset ylabel; unset tics; unset border; unset grid; unset logscale; unset arrow 1
set lmargin screen 0.02; set rmargin screen 0.98; set bmargin screen 0; set tmargin screen low
set xrange [0:1]; set yrange [0:1]
set key inside center center horizontal maxrows 2 width 1
plot for [i = 1:libraries] NaN with points ls styles[i] ps 1.2 title names[i]
unset multiplot
