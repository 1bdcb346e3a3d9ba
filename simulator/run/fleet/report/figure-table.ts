import { z } from 'zod'

/** A number of a summary or of the report: the columns of the CSV, the metrics, and what a threshold may name. */
export interface Figure {
  /** Its path in the line without `pay`: `links.connected`, `heard`, `speechMs.p99`. */
  name: string
  path: readonly string[]
  about: string
}

/** The figures of a line, in the order of its schema. */
export function figuresOfLine(line: z.ZodObject): Figure[] {
  return figuresBelow(line, [], '')
}

/** Undefined: it was not measured. */
export function figureIn(line: object, { path }: Figure): number | undefined {
  const value = path.reduce<unknown>((inside, part) => Object(inside)[part], line)
  return typeof value === 'number' ? value : undefined
}

function figuresBelow(schema: z.core.$ZodType, path: readonly string[], about: string): Figure[] {
  const said = z.globalRegistry.get(schema)?.description ?? about
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodExactOptional)
    return figuresBelow(schema.unwrap(), path, said)
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, part]) =>
      // What a line or all payments mean says nothing of one figure.
      figuresBelow(
        part,
        [...path, name],
        path.length === 0 || (path[0] === 'pay' && path.length === 1) ? '' : said,
      ),
    )
  if (schema instanceof z.ZodRecord && schema.keyType instanceof z.ZodEnum)
    return schema.keyType.options.map((name) => figureAt([...path, String(name)], said))
  return schema instanceof z.ZodNumber ? [figureAt(path, said)] : []
}

function figureAt(path: readonly string[], about: string): Figure {
  return { name: (path[0] === 'pay' ? path.slice(1) : path).join('.'), path, about }
}
