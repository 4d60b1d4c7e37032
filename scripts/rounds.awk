# Lines of `ROUND TOOL US-A-REQUEST MB`, of which velo is one tool, become rows of Markdown: what a request costs by the median, the ratio
# of velo in each round from the least to the most, and the most memory. Set `cell`, the rows' name, and `tools`, their order.
{ us[$2, $1] = $3; if ($4 > mb[$2]) mb[$2] = $4; rounds = $1 > rounds ? $1 : rounds }
function sort(a, n, i, j, t) {
    for (i = 2; i <= n; i++) { t = a[i]; for (j = i - 1; j > 0 && a[j] > t; j--) a[j + 1] = a[j]; a[j + 1] = t }
}
function median(a, n) { sort(a, n); return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2 }
END {
    count = split(tools, list, " ")
    for (at = 1; at <= count; at++) {
        tool = list[at]
        for (r = 1; r <= rounds; r++) { own[r] = us[tool, r]; ratio[r] = us["velo", r] / us[tool, r] }
        cost = median(own, rounds); m = median(ratio, rounds)
        shown = tool == "velo" ? "-" : sprintf("%.2f (%.2f to %.2f)", m, ratio[1], ratio[rounds])
        printf "| %s | %s | %.2f | %s | %.1f |\n", at == 1 ? cell : "", tool, cost, shown, mb[tool]
    }
}
