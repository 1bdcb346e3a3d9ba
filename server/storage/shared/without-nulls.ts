/** The domain's type as a row has it: null in place of undefined. */
export type Nullable<T> = {
  [K in keyof T]-?: undefined extends T[K] ? Exclude<T[K], undefined> | null : T[K]
}

type WithoutNulls<T> = { [K in keyof T]: null extends T[K] ? Exclude<T[K], null> | undefined : T[K] }

/** A row as the domain has it: undefined in place of null. */
export function withoutNulls<T extends object>(row: T): WithoutNulls<T> {
  const entries = Object.entries(row).map(([name, value]) => [name, value ?? undefined])
  // No other value has changed.
  return Object.fromEntries(entries) as WithoutNulls<T>
}
