/** The values of each field over all rows, as parameters for `unnest`. */
export function columns<R extends object>(rows: readonly R[], ...fields: (keyof R)[]): unknown[][] {
  return fields.map((field) => rows.map((row) => row[field]))
}
