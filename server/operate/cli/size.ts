import type { Command } from 'commander'
import { type Fleet, type Size, sizeOf } from '../size.ts'
import { between, leaf, show } from './command-parts.ts'
import { done, fields, type Outcome, table } from './output.ts'

/** A speaker says one payment in some 3 s. */
const MOST_PAYMENTS = 28_800

export function sizeCommand(program: Command) {
  const whole = (lowest: number, highest: number) => between(lowest, highest, { isWhole: true })
  const why = ': the payments of one shop, of which a speaker says at most one in 3 s'
  leaf(program, 'size', 'calculate what a fleet needs from measured costs; needs no hub and no database')
    .requiredOption('--shops <number>', 'shops of the fleet', whole(1, 10_000_000))
    .requiredOption(
      '--payments-a-day <number>',
      'payments of one shop',
      between(0.01, MOST_PAYMENTS, { why }),
    )
    .option('--speakers-a-shop <number>', 'each says every payment of its shop', whole(1, 20), 1)
    .option('--peak <factor>', 'the rate at the peak, in mean rates', between(1, 100), 10)
    .option('--keep-days <days>', 'HUB_KEEP_PAYMENTS_DAYS', whole(1, 36_500), 365)
    .option('--webhooks <number>', 'webhooks that get the events of each payment', whole(0, 20), 0)
    .option('--standbys <number>', 'standbys of PostgreSQL', whole(0, 20), 2)
    .option('--headroom <share>', 'what stays free of each limit at the peak', between(0, 0.9), 0.5)
    .option('--spare-hubs <number>', 'hubs that may be lost at the peak', whole(0, 20), 1)
    .option('--postgres', 'several hubs on PostgreSQL, also where one hub on SQLite would do')
    .action(show(size))
}

/** The outcome has every term as JSON. */
export function size(fleet: Fleet): Outcome {
  const needs = sizeOf(fleet)
  const { limits, first, beyond } = needs
  const rows = limits.map(({ what, used, doubled, remedy }) => [
    what,
    percent(used),
    percent(doubled),
    remedy,
  ])
  const breaks = first.doubled > 1 ? 'this breaks first' : 'nothing breaks, and this is nearest'
  const unmeasured = beyond.map(
    ({ what, needed, most }) => `${digits(needed)} ${what} (up to ${digits(most)})`,
  )
  return done(
    needs,
    fields(needsOf(needs)),
    table(['what may run out', 'used at the peak', 'load doubled', 'then'], rows, ''),
    `When the load doubles, ${breaks}: ${first.what}, ${percent(first.doubled)} used. Then ${first.remedy}.`,
    'Calculated from what was measured on two cores: measure on your own machines before you buy.',
    ...(unmeasured.length > 0 ? [`Beyond what was measured: ${unmeasured.join(', ')}.`] : []),
  )
}

function needsOf({ fleet, load, verdict, databases, decides, hubs, postgres, disk }: Size) {
  const isAsked = databases === 1 && decides.used <= 1 - fleet.headroom
  const one = databases > 1 ? 'one database' : 'one hub on SQLite'
  const indexes = postgres ? `, ${bytes(disk.indexBytes)} of it indexes of payments` : ''
  return {
    load: `${digits(load.paymentsADay)} payments a day: ${digits(load.mean)}/s, at the peak ${digits(load.peak)}/s; ${digits(load.speakers)} speakers`,
    verdict: `${verdict}${databases > 1 ? `: ${databases}, each with what follows` : ''}`,
    'decided by': `${isAsked ? '--postgres; ' : ''}${decides.what}: ${one} uses ${percent(decides.used)}, and may use ${percent(1 - fleet.headroom)}`,
    hubs: `${hubs.count}${postgres ? `, ${fleet.spareHubs} of them spare` : ''}`,
    'each hub': `cores: ${hubs.cores}, ${digits(hubs.cpuMs / 1_000)} busy; memory: ${bytes(hubs.memoryBytes)}; ${digits(hubs.speakers)} speakers`,
    ...(postgres && {
      PostgreSQL: `servers: ${fleet.standbys + 1}; cores: ${postgres.cores}, ${digits(postgres.cpuMs / 1_000)} busy; ${digits(postgres.commits)} commits/s`,
      WAL: `${bytes(postgres.walBytes)}/s at the peak, ${bytes(postgres.walBytesADay)} a day`,
      connections: `max_connections: ${postgres.maxConnections}, ${postgres.connections} in use; balancer: ${digits(postgres.balancerConnections)}`,
    }),
    disk: `${bytes(disk.bytes)} after ${digits(fleet.keepDays)} days${indexes}; ${bytes(disk.bytesADay)} a day`,
  }
}

const percent = (share: number) => `${(share * 100).toFixed(0)} %`

/** Three digits, or a whole number. */
const digits = (value: number) =>
  (value < 1_000 ? Number(value.toPrecision(3)) : Math.round(value)).toLocaleString('en-US')

function bytes(value: number): string {
  const steps = Math.min(4, Math.floor(Math.log10(Math.max(value, 1)) / 3))
  return `${digits(value / 1_000 ** steps)} ${['B', 'kB', 'MB', 'GB', 'TB'][steps]}`
}
