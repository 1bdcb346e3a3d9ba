import type { Engine, SqlType } from '../act.ts'

/** What a field of a filter asks of a row, by the field's parameter. `of` has the parameters of the other fields. */
type Condition<F> = readonly [
  type: SqlType,
  holds: (parameter: string, of: (name: keyof F) => string) => string,
]

export type Conditions<F> = { [K in keyof F]-?: Condition<F> }

/** The conditions of a list's filter. */
export function createFilter<F extends object>(
  { ifGiven }: Pick<Engine, 'ifGiven'>,
  conditions: Conditions<F>,
  firstParameter: number,
) {
  // It has the fields of the filter alone.
  const names = Object.keys(conditions) as (keyof F)[]
  const of = (name: keyof F) => `$${firstParameter + names.indexOf(name)}`
  return {
    /** `path` is the field that an index answers: only a condition that is always there lets PostgreSQL use the index. */
    where: (filter: F, path: keyof F | undefined) =>
      names
        .map((name) => {
          const [type, holds] = conditions[name]
          const condition = holds(of(name), of)
          return name === path ? condition : ifGiven(filter[name], of(name), type, condition)
        })
        .join(' AND '),
    values: (filter: F): unknown[] => names.map((name) => filter[name]),
  }
}
