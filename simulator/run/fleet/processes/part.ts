import type { Clock } from '../../../platform/clock.ts'
import type { Credentials } from '../../hub/hub-command.ts'
import { createPartnerClient } from '../../hub/partner-client.ts'
import type { FleetDevice } from '../devices/devices.ts'
import { ftCodes } from '../pay/ft-codes.ts'
import type { Mix } from '../pay/kinds.ts'
import { type Load, scaledLoad } from '../pay/load.ts'
import type { ConditionShares } from '../run/conditions.ts'
import { type Run, startRun } from '../run/run.ts'

/** The part of a fleet that one process runs, as plain data. */
export interface Part {
  devices: readonly FleetDevice[]
  url: string
  /** Of the listener for boxes. */
  boxUrl: string
  connectRate: number
  durationMs: number | undefined
  patienceMs: number | undefined
  conditions: ConditionShares
  /** Undefined: no payments. */
  pay: { http: string; partner: Credentials; load: Load; mix: Mix; payments: number | undefined } | undefined
}

export function startPart({ pay, ...part }: Part, clock: Clock): Run {
  const base = { ...part, clock, random: Math.random }
  if (!pay) return startRun(base)
  const { http, partner, ...paid } = pay
  const client = createPartnerClient(http, partner.clientId, partner.clientSecret)
  return startRun({ ...base, pay: { client, newFtCode: ftCodes(clock), ...paid } })
}

/** Equal parts of the devices, of the rates, and of the payments. */
export function splitPart(whole: Part, count: number): Part[] {
  const { devices, connectRate, pay } = whole
  const share = (all: number, index: number) =>
    Math.floor(((index + 1) * all) / count) - Math.floor((index * all) / count)
  let from = 0
  return Array.from({ length: count }, (_, index): Part => {
    const own = devices.slice(from, from + share(devices.length, index))
    from += own.length
    const part = own.length / devices.length
    return {
      ...{ ...whole, devices: own, connectRate: connectRate * part },
      pay: pay && {
        ...{ ...pay, load: scaledLoad(pay.load, part) },
        payments: pay.payments === undefined ? undefined : share(pay.payments, index),
      },
    }
  })
}
