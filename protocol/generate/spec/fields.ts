import { envelope } from '../../messages/command.ts'
import { mac } from '../../messages/fields.ts'
import { type CatalogueEntry, catalogue } from '../messages/catalogue.ts'
import { type FieldSchema, fieldsOf } from '../messages/json-schema.ts'

/** The tables of all messages and fields, in Markdown. */
export function fieldTables(): string {
  const { d: _, ...outer } = envelope.shape
  const around = envelope.omit({ d: true }).extend({ mac })
  const messages = catalogue()
  return [
    '**Every command**',
    '',
    ...table(fieldsOf(around), Object.keys({ ...outer, mac })),
    '',
    ...messages.flatMap((message) => [...section(message), '']),
  ]
    .join('\n')
    .trimEnd()
}

function section(message: CatalogueEntry): string[] {
  const { name, channel, direction, qos, sealed, finalStage } = message
  const shown = message.body ?? message.payload
  const fields = fieldsOf(shown)
  const facts = [
    direction === 'down' ? 'down' : `up/${channel}`,
    // Only for the will the device chooses the QoS.
    channel === 'will' ? 'QoS 0 or 1' : `QoS ${qos}`,
    sealed ? 'MAC' : 'no MAC',
    ...(finalStage === undefined ? [] : [`last stage \`${finalStage}\``]),
    `[schema](schemas/${name}.schema.json)`,
  ]
  const names = Object.keys(fields.properties).filter((field) => field !== 'mac')
  return [
    `**\`${name}\`** (${facts.join(', ')}): ${message.payload.description}`,
    '',
    ...(names.length === 0 ? ['Its body has no fields.'] : table(fields, names)),
  ]
}

function table({ properties, required = [] }: ReturnType<typeof fieldsOf>, names: string[]): string[] {
  const rows = names.map((name) => {
    const field = properties[name] ?? {}
    const label = required.includes(name) ? `\`${name}\`` : `\`${name}\`?`
    const cells = [label, typeOf(field), field.unit ?? '', field.description ?? 'The type of the message.']
    return `| ${cells.join(' | ')} |`
  })
  return ['| Field | Type and limits | Unit | Meaning |', '|---|---|---|---|', ...rows]
}

function typeOf(field: FieldSchema): string {
  const left = field.default === undefined ? '' : `; default: ${defaultOf(field.default)}`
  return `${kindOf(field)}${left}`
}

function kindOf({ const: only, enum: some, type, items, ...limits }: FieldSchema): string {
  if (only !== undefined) return `\`${JSON.stringify(only)}\``
  if (some) return some.map((value) => `\`${String(value)}\``).join(' ')
  switch (type) {
    case 'integer':
      return `integer, ${limits.minimum} ${limits.maximum === undefined ? 'or more' : `to ${group(limits.maximum)}`}`
    case 'array':
      return `list of at most ${limits.maxItems}: ${kindOf(items ?? {})}`
    case 'object':
      return 'object'
    case 'boolean':
      return '`true` `false`'
    default:
      return `text${textLimits(limits)}`
  }
}

function textLimits({ pattern, minLength, maxLength }: FieldSchema): string {
  const length =
    maxLength === undefined
      ? ''
      : `, ${minLength === undefined ? 'at most' : `${minLength} to`} ${group(maxLength)}`
  return `${length}${pattern === undefined ? '' : `, \`${pattern}\``}`
}

function defaultOf(value: unknown): string {
  if (value === '') return 'empty'
  return Array.isArray(value) ? 'none' : String(value)
}

function group(value: number): string {
  return value.toLocaleString('en-US')
}
