type Type = 'text' | 'bigint' | 'boolean'

/** What a field of a filter asks of a row, by the field's parameter. `of` has the parameters of the other fields. */
type Condition<F> = readonly [type: Type, holds: (parameter: string, of: (name: keyof F) => string) => string]

export type Conditions<F> = { [K in keyof F]-?: Condition<F> }

/** A condition that every row passes when its parameter is null. No engine answers it by an index. */
export const ifGiven = (parameter: string, type: Type, condition: string) =>
  `(CAST(${parameter} AS ${type}) IS NULL OR ${condition})`

/**
 * The conditions of a list's filter, as one text for all filters. Why not a text for each: PostgreSQL keeps every text
 * on each connection, and there would be thousands.
 */
export function createFilter<F extends object>(conditions: Conditions<F>, firstParameter: number) {
  // It has the fields of the filter alone.
  const names = Object.keys(conditions) as (keyof F)[]
  const of = (name: keyof F) => `$${firstParameter + names.indexOf(name)}`
  return {
    /** `path` is the field that an index answers: its condition is in the text as it is. */
    where: (path: keyof F | undefined) =>
      names
        .map((name) => {
          const [type, holds] = conditions[name]
          return name === path ? holds(of(name), of) : ifGiven(of(name), type, holds(of(name), of))
        })
        .join(' AND '),
    values: (filter: F): unknown[] => names.map((name) => filter[name]),
  }
}
