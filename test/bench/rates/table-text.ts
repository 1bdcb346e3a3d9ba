import type { Measured } from '../../../server/operate/measured.ts'

/** The constants as the formatted source of server/operate/measured.ts. */
export function tableText(measured: Measured): string {
  return `export const MEASURED = ${textOf(measured, '')}\n`
}

function textOf(value: unknown, indent: string): string {
  if (typeof value === 'number') return String(rounded(value))
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const lines = value.map((item) => `${inner}${textOf(item, inner)},\n`)
    return `[\n${lines.join('')}${indent}]`
  }
  const fields = Object.entries(Object(value))
  if (fields.every(([, field]) => typeof field === 'number'))
    return `{ ${fields.map(([name, field]) => `${name}: ${textOf(field, '')}`).join(', ')} }`
  const lines = fields.map(([name, field]) => `${inner}${name}: ${textOf(field, inner)},\n`)
  return `{\n${lines.join('')}${indent}}`
}

/** Three digits are what a measurement is good for. */
function rounded(value: number): number {
  const short = Number(value.toPrecision(3))
  return Math.abs(short) >= 1_000 ? Math.round(short) : short
}
