# What the machine allows at each number of operations per byte, and where topbit's kernels are.
width = 980
height = 640
load data.'/roofline.gp'
load scripts.'/common.gp'
bandwidth(i) = value(sprintf('bandwidth_%d', i))
peak(i) = value(sprintf('peak_%d', i))
least(a, b) = a < b ? a : b
x0 = 0.008; x1 = 900.0
y0 = bandwidth(bandwidths) * x0 * 0.8
y1 = peak(1) * 1.8
set logscale xy
set format xy '%g'
set xrange [x0:x1]
set yrange [y0:y1]
set lmargin 9; set rmargin 2; set tmargin 1; set bmargin 4
set xlabel 'floating-point operations per byte of operands and result'
set ylabel 'GFLOP/s'
set key inside bottom right samplen 1 spacing 1.2
# Lines of slope one are as steep as the frame makes them.
steepness = atan((height - 90) / log10(y1 / y0) / ((width - 110) / log10(x1 / x0))) * 180 / pi
do for [i = 1:bandwidths] {
  set label i sprintf('triad over %s: %.0f GB/s', value(sprintf('bandwidth_name_%d', i)), bandwidth(i)) \
    at x0 * 1.15, bandwidth(i) * x0 * 1.15 * 1.13 rotate by steepness left font ',11' textcolor rgb '#505050'
}
do for [i = 1:peaks] {
  set label 100 + i sprintf('%s: %.0f GFLOP/s', value(sprintf('peak_name_%d', i)), peak(i)) \
    at x1 * 0.93, peak(i) * 1.09 right font ',11' textcolor rgb '#505050'
}
points = data.'/roofline.tsv'
of(group) = column(4) == group ? column(1) : NaN
# Every other name stands on the other side, since sizes lie close together.
left(group) = column(4) == group && int(column(0)) % 2 == 0 ? column(1) : NaN
right(group) = column(4) == group && int(column(0)) % 2 == 1 ? column(1) : NaN
set samples 400
plot for [i = 1:bandwidths] least(bandwidth(i) * x, peak(1)) with lines lc rgb '#909090' lw 1.3 notitle, \
     for [i = 1:peaks] [peak(i) / bandwidth(1):x1] peak(i) with lines lc rgb '#909090' lw 1.3 dt (6, 4) notitle, \
     points using (of(1)):2 skip 1 with points ls 1 ps 0.9 title 'add, by elements', \
     points using (of(2)):2 skip 1 with points ls 4 ps 1.0 title 'sum, by elements', \
     points using (of(3)):2 skip 1 with points ls 2 ps 0.9 title 'matmul, by rows', \
     points using (of(4)):2 skip 1 with points ls 5 ps 1.0 title 'conv2d', \
     points using (of(5)):2 skip 1 with points ls 7 ps 1.1 title 'attention', \
     for [g = 1:2] points using (left(g)):2:3 skip 1 with labels right offset -0.8, 0 font ',11' notitle, \
     for [g = 1:2] points using (right(g)):2:3 skip 1 with labels left offset 0.8, 0 font ',11' notitle, \
     points using (of(3)):2:3 skip 1 with labels center offset 0, -0.9 font ',11' notitle
