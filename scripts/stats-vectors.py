#!/usr/bin/env python3
"""Writes crates/stats/tests/vectors.json: what other programs say of the statistics in crates/stats.

Needs Python 3.10 with mpmath, numpy and scipy, and R with the package limma (Debian: r-bioc-limma). Run it from the
repository's root: python3 scripts/stats-vectors.py. The vectors are committed, so tests need none of these.

  student      mpmath, 40 digits: P(|T| > t) by the incomplete beta function, quantiles by its root
  noncentral   scipy.stats.nct where it can be trusted, and mpmath's integral of the definition
  power        scipy: root of the two-sided power over the noncentrality
  squeeze      limma::squeezeVar
  holm         p.adjust(method = "holm") of R
  pairs        numpy and scipy, from the formulas, with the prior of limma::fitFDist capped
  interval     scipy.stats.t.interval
  welch        scipy.stats.ttest_ind(equal_var=False)
"""

import json
import math
import subprocess

import mpmath
import numpy as np
import scipy
from scipy import optimize, stats

mpmath.mp.dps = 40
SEED = 20040101


def r(program, *numbers):
    """What a program in R prints as one line of numbers; its input are lines of numbers."""
    lines = "\n".join(" ".join(repr(float(x)) for x in line) for line in numbers)
    head = 'f <- file("stdin"); lines <- lapply(strsplit(readLines(f), " "), as.numeric);'
    tail = 'cat(sprintf("%.17g", result), sep = " ")'
    out = subprocess.run(
        ["Rscript", "-e", f"{head} {program}; {tail}"], input=lines, text=True, capture_output=True, check=True
    )
    return [float(word) for word in out.stdout.split()]


def number(x):
    """JSON has no infinity: null stands for it."""
    return None if math.isinf(x) else float(x)


def two_sided(t, df):
    """P(|T| > t), by the incomplete beta function, or where that is slow by integrating the density from t on."""
    t, df = mpmath.mpf(t), mpmath.mpf(df)
    if mpmath.isinf(df):
        return mpmath.erfc(t / mpmath.sqrt(2))
    if df < 1e4:
        return mpmath.betainc(df / 2, 0.5, 0, df / (df + t * t), regularized=True)
    front = mpmath.exp(mpmath.loggamma((df + 1) / 2) - mpmath.loggamma(df / 2)) / mpmath.sqrt(mpmath.pi * df)
    density = lambda x: -(df + 1) / 2 * mpmath.log1p(x * x / df)
    # Over the density at t, since the integral's error is absolute.
    points = [t + mpmath.mpf(k) / 10 for k in range(10)] + [t + 1, t + 2, t + 5, t + 10, t + 40]
    share = mpmath.quad(lambda x: mpmath.exp(density(x) - density(t)), points)
    return 2 * front * mpmath.exp(density(t)) * share


def student():
    vectors = []
    for df in [1e-3, 0.1, 0.5, 1, 1.7, 2, 4, 5.19, 8, 11, 30, 39.9, 40, 40.1, 200, 1e4, 1e6, 1e9, math.inf]:
        for t in [1e-6, 0.01, 0.5, 1, 1.7, 2, 2.776, 5, 12, 30]:
            vectors.append({"df": number(df), "t": t, "two_sided_p": float(two_sided(t, df))})
    return vectors


def quantiles():
    vectors = []
    for df in [0.5, 1, 2, 4, 5.19, 8, 30, 50, 1e3, 1e6, 1e9, math.inf]:
        for level in [0.9, 0.5, 0.1, 0.05, 0.005, 0.05 / 190, 1e-9]:
            guess = stats.t.isf(level / 2, df) if math.isfinite(df) else stats.norm.isf(level / 2)
            root = mpmath.findroot(lambda t: mpmath.log(two_sided(t, df) / mpmath.mpf(level)), mpmath.mpf(float(guess)))
            vectors.append({"df": number(df), "level": level, "critical": float(root)})
    return vectors


def noncentral_by_integral(t, df, noncentrality):
    """P(T <= t): the normal distribution over the density of a chi variable."""
    t, df, d = mpmath.mpf(t), mpmath.mpf(df), mpmath.mpf(noncentrality)
    log_front = mpmath.log(2) + df / 2 * mpmath.log(df / 2) - mpmath.loggamma(df / 2)
    density = lambda w: mpmath.exp(log_front + (df - 1) * mpmath.log(w) - df * w * w / 2)
    spread = 1 / mpmath.sqrt(2 * df)
    points = [0] + [p for p in (1 - 8 * spread, 1 - 2 * spread) if p > 0] + [1, 1 + 2 * spread, 1 + 8 * spread, 1 + 20 * spread]
    return mpmath.quad(lambda w: mpmath.ncdf(t * w - d) * density(w), points)


def noncentral():
    vectors = []
    with mpmath.workdps(20):
        for df in [1.5, 4, 8, 15, 44, 1000]:
            for noncentrality in [-1, 0.5, 3, 6, 12]:
                for t in [-2, 0.5, 2.3, 5, 14]:
                    p = float(noncentral_by_integral(t, df, noncentrality))
                    other = float(stats.nct.cdf(t, df, noncentrality))
                    if abs(p - other) > 1e-6:
                        print(f"nct({t}, {df}, {noncentrality}): scipy {other}, by integral {p}")
                    vectors.append({"df": df, "noncentrality": noncentrality, "t": t, "p": p})
    return vectors


def power():
    vectors = []
    for df in [2, 4, 8, 15, 44]:
        for level in [0.05, 0.005, 0.05 / 10, 0.05 / 190]:
            critical = stats.t.isf(level / 2, df)
            found = lambda d: float(
                1 - noncentral_by_integral(critical, df, d) + noncentral_by_integral(-critical, df, d)
            )
            with mpmath.workdps(18):
                root = optimize.brentq(lambda d: found(d) - 0.9, 0.1, 40 + 2 * critical, xtol=1e-9)
            vectors.append({"df": df, "level": level, "power": 0.9, "noncentrality": root})
    return vectors


def fit_prior(variances, dfs):
    scale, df = r("library(limma); fit <- fitFDist(lines[[1]], lines[[2]]); result <- c(fit$scale, fit$df2)", variances, dfs)
    return scale, df


def squeeze(random):
    cases = [
        ([1, 2, 0.1, 30, 4], [4] * 5),
        ([1, 1.1, 0.9], [4, 4, 5]),
        ([1, 0, 3, 4, 2.5], [4] * 5),
        ([1e-6, 2e-6, 4e-5, 3e-6, 1e-7, 9e-6], [4, 4, 3, 2, 4, 1]),
    ]
    for count in [3, 10, 190]:
        for spread in [0.0, 0.5, 2.0]:
            dfs = random.integers(1, 12, count).astype(float)
            true = np.exp(spread * random.standard_normal(count)) * 1e-4
            cases.append((list(true * random.chisquare(dfs) / dfs), list(dfs)))
    vectors = []
    for variances, dfs in cases:
        program = "library(limma); s <- squeezeVar(lines[[1]], lines[[2]]); result <- c(s$df.prior, s$var.prior, s$var.post)"
        prior_df, prior_variance, *squeezed = r(program, variances, dfs)
        vectors.append({
            "variances": [float(x) for x in variances], "dfs": [float(x) for x in dfs],
            "prior_df": number(prior_df), "prior_variance": prior_variance, "squeezed": squeezed,
        })
    return vectors


def holm(random):
    vectors = []
    for count in [1, 2, 5, 45, 190]:
        p = np.sort(random.random(count) ** 3)
        random.shuffle(p)
        vectors.append({"p": list(p), "adjusted": r('result <- p.adjust(lines[[1]], "holm")', p)})
    return vectors


def compare(contenders, logs, level, margin, cap):
    """The formulas of pairs.rs, from their sources."""
    n = np.array([len(x) for x in logs])
    mean = np.array([np.mean(x) for x in logs])
    variance = np.array([np.var(x, ddof=1) for x in logs])
    df = n - 1.0
    if contenders >= 3:
        scale, prior_df = fit_prior(variance, df)
        prior_df = min(prior_df, cap)
        variance = (df * variance + prior_df * scale) / (df + prior_df)
        df = np.minimum(df + prior_df, np.maximum((contenders - 1) * df.max(), df))
    error = np.sqrt(variance / n)
    m = len(logs)
    p = 2 * stats.t.sf(np.abs(mean) / error, df)
    order = np.argsort(p)
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(1, np.maximum.accumulate((m - np.arange(m)) * p[order]))
    half = stats.t.isf(0.025, df) * error
    simultaneous = stats.t.isf(level / m / 2, df) * error
    bound = math.log1p(margin)
    inside = (mean - simultaneous >= -bound) & (mean + simultaneous <= bound)
    state = np.where(adjusted <= level, np.where(mean > 0, "first", "second"), np.where(inside, "equal", "open"))
    return [
        {
            "mean": mean[i], "standard_error": error[i], "df": df[i], "low": mean[i] - half[i], "high": mean[i] + half[i],
            "simultaneous_low": mean[i] - simultaneous[i], "simultaneous_high": mean[i] + simultaneous[i],
            "p": p[i], "holm_p": adjusted[i], "state": str(state[i]),
        }
        for i in range(m)
    ]


def pairs(random):
    vectors = []
    for contenders, launches, between, level in [
        (2, 5, 0.02, 0.05), (3, 5, 0.01, 0.05), (5, 5, 0.02, 0.05), (5, 12, 0.01, 0.03), (6, 8, 0.005, 0.015), (3, 3, 0.01, 0.05),
    ]:
        levels = 0.03 * random.integers(0, 3, contenders)
        own = levels[:, None] + between * random.standard_normal((contenders, launches))
        chosen, logs = [], []
        for i in range(contenders):
            for j in range(i + 1, contenders):
                kept = launches - (1 if (i + j) % 4 == 3 and launches > 4 else 0)
                chosen.append([i, j])
                logs.append([float(x) for x in (own[i] - own[j])[:kept]])
        vectors.append({
            "contenders": contenders, "level": level, "equal_within": 0.04, "prior_df_cap": 4.0,
            "pairs": chosen, "log_ratios": logs, "expected": compare(contenders, logs, level, 0.04, 4.0),
        })
    return vectors


def interval(random):
    vectors = []
    for count in [2, 3, 5, 12, 40]:
        for confidence in [0.9, 0.95, 0.995]:
            values = 1e4 * (1 + 0.02 * random.standard_normal(count))
            low, high = stats.t.interval(confidence, count - 1, loc=np.mean(values), scale=stats.sem(values))
            vectors.append({"values": list(values), "confidence": confidence, "mean": np.mean(values), "low": low, "high": high})
    return vectors


def welch(random):
    vectors = []
    for first, second, spreads in [
        (2, 2, (1.0, 1.0)), (3, 9, (0.02, 0.01)), (5, 5, (0.01, 0.01)), (5, 12, (0.02, 0.005)), (12, 12, (0.01, 0.03)), (40, 5, (3.0, 0.1)),
    ]:
        samples = [spreads[0] * random.standard_normal(first), 0.03 + spreads[1] * random.standard_normal(second)]
        found = stats.ttest_ind(samples[1], samples[0], equal_var=False)
        ends = found.confidence_interval(0.95)
        vectors.append({
            "first": list(samples[0]), "second": list(samples[1]), "difference": np.mean(samples[1]) - np.mean(samples[0]),
            "df": found.df, "p": found.pvalue, "low": ends.low, "high": ends.high,
        })
    return vectors


def main():
    random = np.random.default_rng(SEED)
    limma = subprocess.run(
        ["Rscript", "-e", 'cat(R.version$major, R.version$minor, as.character(packageVersion("limma")), sep = ".")'],
        text=True, capture_output=True, check=True,
    ).stdout.split(".", 3)
    vectors = {
        "made_with": {
            "command": "python3 scripts/stats-vectors.py", "mpmath": mpmath.__version__, "numpy": np.__version__,
            "scipy": scipy.__version__, "R": ".".join(limma[:3]), "limma": limma[3],
        },
        "student": student(), "quantiles": quantiles(), "noncentral": noncentral(), "power": power(),
        "squeeze": squeeze(random), "holm": holm(random), "pairs": pairs(random), "interval": interval(random),
        "welch": welch(random),
    }
    lines = []
    for name, rows in vectors.items():
        if isinstance(rows, list):
            body = ",\n".join("    " + json.dumps(row, default=float) for row in rows)
            lines.append(f'  "{name}": [\n{body}\n  ]')
        else:
            lines.append(f'  "{name}": {json.dumps(rows)}')
    with open("crates/stats/tests/vectors.json", "w", encoding="ascii") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
