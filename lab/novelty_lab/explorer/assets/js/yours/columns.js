"use strict";
/* What was read: each column with its kind, its first values, its gaps, and the part it plays. */
(() => {
  const { el } = LN;
  const SHOWN = 4;
  const ROLES = [
    ["input", "input"],
    ["target", "target"],
    ["", "leave out"],
  ];

  const first = (column) => {
    const shown = Array.from({ length: Math.min(SHOWN, column.values.length) }, (_, i) => {
      if (LN.tables.isMissing(column, i)) return "—";
      const value = column.values[i];
      if (column.levels) return column.levels[value];
      return typeof value === "number" ? String(+value.toPrecision(6)) : String(value).slice(0, 20);
    });
    return LN.visible(shown.join(", ")) + (column.values.length > SHOWN ? ", …" : "");
  };
  const kind = (column) => {
    if (column.kind === "category") return `category of ${column.levels.length}`;
    return LN.tables.WHY[column.kind] ?? column.kind;
  };

  /* change() is called when a part changes; roles are changed in place. */
  LN.yours.columnTable = (table, roles, { isSeries, change }) => {
    const offered = isSeries ? ROLES.filter(([role]) => role !== "target") : ROLES;
    const part = (name, k) => {
      const label = LN.select("", offered, roles[k], (role) => {
        roles[k] = role;
        change();
      });
      const box = /** @type {HTMLSelectElement} */ (label.querySelector("select"));
      box.setAttribute("aria-label", `Part of ${LN.visible(name)}`);
      return label;
    };
    const rows = table.columns.map((column, k) => ({
      mark: roles[k] ? null : "left",
      cells: [
        el("b", {}, LN.visible(column.name)),
        kind(column),
        column.missing ? String(column.missing) : "",
        first(column),
        part(column.name, k),
      ],
    }));
    const heads = ["column", "kind", "missing", "first values", "part"];
    return LN.table(heads, rows, (i) => i === 2, true);
  };
})();
