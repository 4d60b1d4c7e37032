# Lines of `ROUND WAY TOOL PER-S KEPT` of one contender become a row of Markdown: medians of requests/s, velo over ab in each round from the
# least to the most, and the share of ab's requests that found their connection kept. Set `contender` and `rounds`.
{ rate[$2, $3, $1] = $4; kept[$2, $3, $1] = $5 }
function sort(a, n, i, j, t) {
    for (i = 2; i <= n; i++) { t = a[i]; for (j = i - 1; j > 0 && a[j] > t; j--) a[j + 1] = a[j]; a[j + 1] = t }
}
function median(a, n) { sort(a, n); return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2 }
function of(way, tool, r) { for (r = 1; r <= rounds; r++) own[r] = rate[way, tool, r]; return median(own, rounds) }
END {
    for (r = 1; r <= rounds; r++) { ratio[r] = rate["new", "velo", r] / rate["new", "ab", r]; share[r] = kept["kept", "ab", r] }
    m = median(ratio, rounds)
    printf "| %s | %.0f | %.0f | %.2f (%.2f to %.2f) | %.0f | %.0f %% | %.0f |\n", contender, of("new", "ab"), of("new", "velo"), m, ratio[1], ratio[rounds], of("kept", "ab"), 100 * median(share, rounds), of("kept", "velo")
}
