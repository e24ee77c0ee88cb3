"use strict";
/* A NumPy file of numbers, one or two axes; nothing is unpickled. */
(() => {
  const { refuse } = LN.tables;
  const READERS = {
    f8: ["getFloat64", 8],
    f4: ["getFloat32", 4],
    i8: ["getBigInt64", 8],
    u8: ["getBigUint64", 8],
    i4: ["getInt32", 4],
    u4: ["getUint32", 4],
    i2: ["getInt16", 2],
    u2: ["getUint16", 2],
    i1: ["getInt8", 1],
    u1: ["getUint8", 1],
    b1: ["getUint8", 1],
  };

  function readNumpy(bytes, name) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const wrong = () => refuse(`expected NumPy data in ${name}`);
    const magic = String.fromCharCode(...bytes.subarray(1, 6));
    if (bytes[0] !== 0x93 || magic !== "NUMPY" || bytes.length < 12) return wrong();
    const start = bytes[6] === 1 ? 10 : 12;
    const size = bytes[6] === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
    const header = new TextDecoder("latin1").decode(bytes.subarray(start, start + size));
    const descr = /'descr':\s*'([<>|=])(\w+)'/.exec(header);
    const shape = /'shape':\s*\(([\d,\s]*)\)/.exec(header)?.[1].match(/\d+/g)?.map(Number);
    const reader = READERS[descr?.[2] ?? ""];
    if (!descr || !shape || !reader)
      return refuse(`expected numbers in ${name}, got ${descr?.[2] ?? "other data"}`);
    if (shape.length > 2)
      refuse(`expected an array (rows, columns) in ${name}, got shape (${shape.join(", ")})`);
    const [rows, width] = [shape[0], shape[1] ?? 1];
    const [method, itemSize] = reader;
    if (bytes.length < start + size + rows * width * itemSize) return wrong();
    const isFortran = /'fortran_order':\s*True/.test(header);
    const little = descr[1] !== ">";
    const at = (i, j) => start + size + itemSize * (isFortran ? j * rows + i : i * width + j);
    const columns = Array.from({ length: width }, (_, j) =>
      Float64Array.from({ length: rows }, (_, i) => Number(view[method](at(i, j), little))),
    );
    const isBoolean = descr[2] === "b1";
    return { names: columns.map((_, j) => String(j)), columns, isBoolean, notes: [] };
  }
  LN.tables.readNumpy = readNumpy;
})();
