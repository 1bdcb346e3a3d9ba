import type { BoxKind } from '../../boxes/kinds.ts'
import { WrongUsage } from '../../platform/errors.ts'
import type { Credentials } from '../hub/hub-command.ts'
import { type Shares, sumOf } from './model/shares.ts'
import type { Mix } from './pay/kinds.ts'
import { type Load, stagedLoad, steadyLoad } from './pay/load.ts'
import type { MetricsAddress } from './report/metrics.ts'
import { isPaid, type Threshold } from './report/thresholds.ts'
import type { ConditionShares } from './run/conditions.ts'
import { readFleetScenario } from './scenario/read.ts'
import { stagesOf } from './scenario/schema.ts'

/** A fleet as the command line asks for it. */
export interface FleetOptions {
  speakers: number
  /** A file of devices; undefined: the local hub mints them. */
  devices: string | undefined
  /** Devices that are left out at the begin of the file, or of the folder. */
  skip: number
  /** The folder of minted devices. */
  stateDir: string
  url: string
  /** Of the hub's listener for boxes. */
  boxUrl: string
  /** Shares of the fleet that are boxes of other makers; the rest speaks sb/1. */
  dialects: Shares<BoxKind>
  /** The address of the partner API; used only when the fleet pays. */
  http: string
  /** Speakers that start to connect per second. */
  connectRate: number
  /** Payments per second; undefined: none. */
  payRate: number | undefined
  payments: number | undefined
  mix: Mix
  conditions: ConditionShares
  /** A scenario file, with what is not given here. */
  scenarioFile: string | undefined
  /** Milliseconds from the end of the ramp. */
  durationMs: number | undefined
  /** How long the ramp may get no further; undefined: the usual time. */
  patienceMs: number | undefined
  /** What the run must reach. */
  thresholds: readonly Threshold[]
  /** Processes that share the fleet. */
  processes: number
  headless: boolean
  reportFile: string | undefined
  junitFile: string | undefined
  csvFile: string | undefined
  /** Where metrics are served; undefined: nowhere. */
  metrics: MetricsAddress | undefined
  /** The paying partner; undefined: the fleet creates one. */
  credentials: Credentials | undefined
}

/** A fleet with what its scenario file adds. */
export interface Planned extends FleetOptions {
  /** Undefined: the fleet does not pay. */
  load: Load | undefined
}

/** Reads the scenario file, or throws `WrongUsage`. What the command line says goes before what the file says. */
export function withScenario(given: FleetOptions): Planned {
  const { scenarioFile, payRate, thresholds } = given
  const steady = payRate === undefined ? undefined : steadyLoad(payRate)
  if (scenarioFile === undefined) return { ...given, load: steady }
  const { pay = 0, stages, mix, dialects, faults, networks, expect } = readFleetScenario(scenarioFile)
  const first = payRate ?? pay
  const load = stages ? stagedLoad(first, stagesOf(stages, first)) : first > 0 ? steadyLoad(first) : undefined
  const needing = load ? undefined : [...thresholds, ...expect].find(isPaid)
  if (needing) throw new WrongUsage(`${needing.expect} needs payments: --pay, or stages in ${scenarioFile}.`)
  const kinds = { ...mix, ...given.mix }
  if (sumOf(kinds) > 1)
    throw new WrongUsage(`--mix and the mix of ${scenarioFile} are more than 100 % in all.`)
  const boxes = { ...dialects, ...given.dialects }
  if (sumOf(boxes) > 1)
    throw new WrongUsage(`--dialect and the dialects of ${scenarioFile} are more than 100 % in all.`)
  const figures = new Set(thresholds.map(({ figure }) => figure))
  return {
    ...{ ...given, load, durationMs: given.durationMs ?? load?.ms },
    mix: kinds,
    dialects: boxes,
    conditions: {
      faults: { ...faults, ...given.conditions.faults },
      networks: { ...networks, ...given.conditions.networks },
    },
    thresholds: [...thresholds, ...expect.filter(({ figure }) => !figures.has(figure))],
  }
}
