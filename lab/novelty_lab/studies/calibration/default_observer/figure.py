"""Both forms of the last layer beside each other, process by process."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from novelty_lab.records import Record
from novelty_lab.report import Table
from novelty_lab.style import BLUE, ORANGE, list_down, new_figure
from novelty_lab.tables import table

COLORS = {"linear": ORANGE, "activated": BLUE}


def rows_of(record: Record) -> list[dict[str, object]]:
    """List a row per process, and a mean per kind."""
    processes = record.results["processes"]
    kinds = {name.split("/")[0]: {} for name in processes}
    for name, forms in processes.items():
        kinds[name.split("/")[0]][name.split("/")[1]] = forms
    rows = []
    for kind, forms_by_name in kinds.items():
        rows += [{"name": name, **forms} for name, forms in forms_by_name.items()]
        mean = {
            form: {
                key: float(np.mean([forms[form][key] for forms in forms_by_name.values()]))
                for key in ("held_out", "power", "size", "seconds")
            }
            | {"refused": sum(forms[form]["refused"] for forms in forms_by_name.values())}
            for form in COLORS
        }
        rows.append({"name": f"all {kind}", **mean})
    return rows


def tables(record: Record) -> list[Table]:
    """Put held-out share, power, size, seconds and refusals of both forms in one table."""
    columns = {"process": "{name}"}
    for title, key, spec in (
        ("held-out", "held_out", ".3f"),
        ("power", "power", ".2f"),
        ("size", "size", ".3f"),
        ("seconds", "seconds", ".2f"),
        ("refused", "refused", ".0f"),
    ):
        columns[title] = f"{{linear[{key}]:{spec}}} / {{activated[{key}]:{spec}}}"
    return [table("Last layer linear / activated", columns, rows_of(record))]


def figure(record: Record) -> Figure:
    """Draw held-out shares and power."""
    fig = new_figure(9.0, 5.0)
    held_out, power = fig.subplots(1, 2, sharey=True)
    processes = record.results["processes"]
    places = np.arange(len(processes))
    for form, color in COLORS.items():
        shares = [forms[form]["held_out"] for forms in processes.values()]
        errors = [1.96 * forms[form]["held_out_se"] for forms in processes.values()]
        held_out.errorbar(shares, places, xerr=errors, fmt="o", color=color, label=form, capsize=2)
        rates = [forms[form]["power"] for forms in processes.values()]
        power.plot(rates, places, "o", color=color)
        sizes = [forms[form]["size"] for forms in processes.values()]
        power.plot(sizes, places, "|", color=color, markersize=10)
    list_down(held_out, [name.replace("/", ": ") for name in processes])
    held_out.set(xlabel="held-out share of variance")
    power.axvline(0.05, color="0.7", linewidth=0.8)
    power.set(xlabel="share of sets with p ≤ 0.05: dots related, bars unrelated")
    held_out.legend(title="last layer")
    return fig
