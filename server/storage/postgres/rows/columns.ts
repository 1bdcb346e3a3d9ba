/** The values of each field over all rows, as parameters for `unnest`. */
export function columns<R extends object>(rows: readonly R[], ...fields: (keyof R)[]): unknown[][] {
  return fields.map((field) => rows.map((row) => row[field]))
}

/** Rows by one of their values. */
export function groupBy<R, K>(rows: readonly R[], keyOf: (row: R) => K): Map<K, R[]> {
  const groups = new Map<K, R[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}
