"""Tests of the measure: how often they reject true null hypotheses, and real relations."""

from __future__ import annotations

from typing import Any

from docs.hooks.tables.records import markdown, record


def _false_positives(name: str, titles: dict[str, str]) -> str:
    rates = record(name)["false_positives"]
    rows = [
        [title, f"{rates[key]['rate']:.3f} ± {rates[key]['se']:.3f}"]
        for key, title in titles.items()
    ]
    return markdown(["null data", "share with p ≤ 0.05"], rows)


def calibration() -> str:
    """Give the false positives of the permutation tests."""
    titles = {
        "independent samples": "independent samples, n = 128",
        "smooth lattices": "lattices of independent smooth fields, 40 × 32 sites",
        "AR pairs": "independent AR(0.95) pairs, 1024 steps",
        "white series": "white series, 128 steps",
        "AR pairs, rows permuted": "AR(0.95) pairs with rows permuted, for comparison",
    }
    return _false_positives("calibration", titles)


def relations() -> str:
    """Give the order, the time and the values on noise of measures of real relations."""
    tells = {
        "held-out variance": "share of variance in new rows, with an interval and a p-value",
        "denoised bits": "how rich the relation is, not how strong",
        "excess bits": "strength and richness together",
        "forest, held-out R2": "share of variance in new rows",
        "ppscore": "how much a tree beats the median; 0 for much that is weak",
        "phik": "strength of association between bins",
        "distance correlation": "strength of any dependence; noise is not 0",
        "mutual information": "bits of any dependence; noise is not 0",
        "|Pearson's r|": "strength of a straight line",
    }
    rows = sorted(record("relations")["orders"].items(), key=lambda one: -one[1]["spearman"])
    return markdown(
        ("measure", "Spearman with the forest", "largest of 30 shuffled", "seconds", "it tells"),
        (
            (
                name.replace("|", "\\|"),
                f"{row['spearman']:.2f}",
                f"{row['largest shuffled']:.2f}",
                f"{row['seconds']:.2g}",
                tells[name],
            )
            for name, row in rows
        ),
    )


def signs() -> str:
    """Give the false positives of the test by random signs."""
    titles = {
        "independent samples": "independent samples, n = 1,024",
        "skewed samples": "skewed targets (log-normal, sigma 1.5), n = 1,024",
        "smooth lattices": "lattices of independent smooth fields, 120 × 32 sites",
        "AR pairs": "independent AR(0.95) pairs, 16,384 steps (420 correlation times)",
        "white series": "white series, 1,024 steps",
    }
    return _false_positives("signs", titles)


def _by_size(rows: dict[str, str], first: str) -> str:
    """Lay rows named "data, n=100" out with a column for every n."""
    cells: dict[str, dict[int, str]] = {}
    for name, text in rows.items():
        data, _, size = name.rpartition(", n=")
        cells.setdefault(data, {})[int(size)] = text
    sizes = sorted({size for row in cells.values() for size in row})
    return markdown(
        [first, *(f"n = {size:,}" for size in sizes)],
        ([data, *(row.get(size, "") for size in sizes)] for data, row in cells.items()),
    )


def _tested(null: str) -> dict[str, dict[str, Any]]:
    """Return what a null says, by data."""
    tests = record("nulls")["tests"]
    return {
        name.removeprefix(f"{null}: "): row
        for name, row in tests.items()
        if name.startswith(f"{null}: ")
    }


def nulls_linear() -> str:
    """Give level and power of the null of linear series."""
    rows = {name: f"{row['rate']:.3f}" for name, row in _tested("linear").items()}
    return _by_size(rows, "one series")


def nulls_pairs() -> str:
    """Give the level of the null of two series, and how often there is no p-value."""
    rows = {
        name: f"{row['rate']:.3f} ({row['refused']:.2f})" for name, row in _tested("shifts").items()
    }
    return _by_size(rows, "two independent series")


def nulls_other() -> str:
    """Give level and power of permuted rows and shuffled time."""
    rows = [
        [
            f"{null}: {name}".replace("|", "\\|"),
            f"{row['rate']:.3f}",
            "" if row["mean_rate"] is None else f"{row['mean_rate']:.3f}",
            f"{row['cautioned']:.2f}",
        ]
        for null in ("time", "rows")
        for name, row in _tested(null).items()
    ]
    return markdown(["data", "p ≤ 0.05", "of the mean, by signs", "with a caution"], rows)


def nulls_coverage() -> str:
    """Give how often the interval of the held-out variance covers its population value."""
    rows = {name: f"{row['covered']:.3f}" for name, row in record("nulls")["coverage"].items()}
    return _by_size(rows, "noise, strength")


def denoised_noise() -> str:
    """Give the largest share of noise data sets that keep a direction, over numbers of targets."""
    rows = record("denoised")["noise"]
    sizes = sorted({row["n"] for row in rows})

    def most(kind: str, n: int, name: str) -> str:
        return f"{max(r[name] for r in rows if (r['kind'], r['n']) == (kind, n)):.1%}"

    heads = {"kept": "keep a direction", "refused": "not known", "p_at_5": "instant p ≤ 0.05"}
    return markdown(
        ["noise", *(f"{head}, n = {n}" for head in heads.values() for n in sizes)],
        [
            [kind, *(most(kind, n, name) for name in heads for n in sizes)]
            for kind in dict.fromkeys(row["kind"] for row in rows)
        ],
    )


def denoised_functions() -> str:
    """Give denoised bits of a function in Gaussian noise, against rows."""
    rows = [row for row in record("denoised")["functions"] if row["kind"] == "Gaussian"]
    bits = {
        (row["D"], row["noise"], row["n"]): f"{row['bits']:.1f} ± {row['sd']:.1f}" for row in rows
    }
    sizes = sorted({row["n"] for row in rows})
    return markdown(
        ["targets", "noise, in sd of the signal", *(f"n = {n:,}" for n in sizes)],
        [
            [str(d), f"{noise:g}", *(bits[d, noise, n] for n in sizes)]
            for d, noise in dict.fromkeys((row["D"], row["noise"]) for row in rows)
        ],
    )
