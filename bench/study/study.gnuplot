# SPDX-License-Identifier: BSD-3-Clause
# Error against cost of all configurations, one picture for each set:
#   gnuplot -e "folder='FOLDER'; set='NAME'" bench/study/study.gnuplot
set terminal svg size 720,480 dynamic background 'white' font 'sans,12'
set output folder.'/'.set.'.svg'
set datafile separator '\t'
set logscale xy
set xlabel 'cost: timed calls of the samples [s]'
set ylabel 'error: average over all recorded calls [%]'
set title set.': 2880 configurations of the published generator'
set key top right
table = folder.'/'.set.'.tsv'
# columns: 1-8 the knobs, 9 error, 10 cost, 18 left by the pruning
published(a,b,c,d,e,f,g,h) = a == 2 && b == 4 && c eq 'chebyshev' && d == 10 && e eq 'minimum' && f eq 'maximum' && g == 0.01 && h == 32
plot table skip 1 using 10:(100 * $9) with points pt 7 ps 0.25 lc rgb '#9db4c8' title 'all', \
     '' skip 1 using 10:($18 == 1 ? 100 * $9 : NaN) with points pt 7 ps 0.6 lc rgb '#c0392b' title 'left by the pruning', \
     '' skip 1 using 10:(published($1, $2, strcol(3), $4, strcol(5), strcol(6), $7, $8) ? 100 * $9 : NaN) with points pt 2 ps 1.2 lw 2 lc rgb 'black' title 'published default'
