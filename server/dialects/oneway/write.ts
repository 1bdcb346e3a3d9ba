import type { Outgoing, Sending, Written } from '../../delivery/session/ports.ts'
import type { OnewayProfile, Template } from '../profile/schema.ts'
import { firstFitting, isOverLimit, jsonMessage, unwritten } from '../profile/write.ts'
import { fill, type Values } from './template.ts'
import { announceValues, codeValues, momentValues, qrValues } from './values.ts'

/** Whom the messages are for. */
export interface Target {
  topic: string
  serial: string
  profile: OnewayProfile
}

/** The placeholders with an amount: too long a value means that the box can't say the amount. */
const MONEY = ['amount', 'hundredths']

export function writeTemplate(target: Target, sending: Sending, now: number, bufferBytes: number): Written {
  const { profile, serial } = target
  const { id, body } = sending
  const write = (template: { [name: string]: Template } | undefined, values: Values): Written =>
    template === undefined
      ? unwritten(body.kind)
      : written(target, template, { ...momentValues({ serial, now }), id, ...values }, bufferBytes)
  switch (body.kind) {
    case 'announce': {
      const form = profile.announce.find(
        ({ upTo }) => upTo === undefined || !isOverLimit({ maxAmount: upTo }, body.amount),
      )
      if (form === undefined || isOverLimit(profile, body.amount)) return { failed: 'over_limit' }
      return write(form.json, announceValues(profile, body))
    }
    case 'code':
      return write(profile.code, codeValues(profile, body.code))
    case 'qr':
      return write(profile.qr, qrValues(body))
    case 'welcome':
    case 'profile':
    case 'clear':
    case 'missed':
    case 'settings':
    case 'identify':
    case 'rekey':
    case 'update':
      return unwritten(body.kind)
  }
}

/** The question for a sign of life. A template that can't be filled was refused when the profile was checked. */
export function pingMessage(
  { topic, serial, profile }: Target,
  template: { [name: string]: Template },
  now: number,
): Outgoing {
  const filled = fill(template, momentValues({ serial, now }), profile.limits ?? {})
  return jsonMessage(topic, 'json' in filled ? filled.json : template)
}

function written(
  { topic, profile }: Target,
  template: { [name: string]: Template },
  values: Values,
  bufferBytes: number,
): Written {
  const filled = fill(template, values, profile.limits ?? {})
  if ('json' in filled) return firstFitting([jsonMessage(topic, filled.json)], bufferBytes)
  const { placeholder, why } = filled.unfilled
  if (why === 'absent') return { failed: placeholder === 'clips' ? 'no_clip' : 'unsupported' }
  return { failed: MONEY.includes(placeholder) ? 'over_limit' : 'too_large' }
}
