import { type Command, Option } from 'commander'
import { LANGUAGES } from '../../../protocol/money/language.ts'
import type { SettingsChange } from '../../settings/settings.ts'
import type { BoxAddOptions } from './box-add.ts'
import {
  count,
  instant,
  leaf,
  list,
  look,
  notBlank,
  onOne,
  open,
  pagesAddress,
  percent,
  serial,
  serialPrefix,
  show,
  wrongUsage,
} from './command-parts.ts'
import * as device from './device.ts'
import { deviceList, deviceShow } from './device-look.ts'
import { type DeviceUpdateOptions, deviceRotate, deviceUpdate, firmwareOffer } from './device-maintenance.ts'
import { SHOWN } from './listing.ts'
import type { Outcome } from './output.ts'
import { inWorkspace, lookIntoWorkspace } from './workspace.ts'

/** With a dialect or a profile, the device is a box of another maker. */
type AddOptions = device.DeviceAddOptions & Partial<BoxAddOptions>

function addDevice(options: AddOptions): Promise<Outcome> {
  const { serial, count, prefix, dialect, profile, passwordStdin, secretFile, acceptWeakLogin } = options
  if (dialect === undefined && profile === undefined) {
    if (prefix !== undefined && count === undefined) throw wrongUsage('--count is missing')
    if (passwordStdin || secretFile || acceptWeakLogin)
      throw wrongUsage('--password-stdin, --secret-file and --accept-weak-login need --profile')
    return inWorkspace((workspace) => device.deviceAdd(workspace, options), { makes: true })
  }
  if (serial === undefined) throw wrongUsage('--serial is missing: the serial that is printed on the box')
  return inWorkspace(
    async (workspace) => {
      const { boxAdd } = await import('./box-add.ts')
      return boxAdd(workspace, { ...options, serial })
    },
    { makes: true },
  )
}

function deviceAddCommand(parent: Command) {
  const onlyWithoutSerial = (flags: string, description: string, parse: (value: string) => unknown) =>
    new Option(flags, description).argParser(parse).conflicts('serial')
  const ofBox = (flags: string, description: string) =>
    new Option(flags, description).argParser(notBlank).conflicts(['count', 'prefix', 'csv', 'link'])
  leaf(parent, 'add', 'create a device; its key is shown once')
    .option('--serial <serial>', 'its serial; a random one when absent', serial)
    .addOption(onlyWithoutSerial('--count <number>', 'create several, one line of JSON each', count))
    .addOption(
      onlyWithoutSerial('--prefix <text>', 'the text before the numbers of their serials', serialPrefix),
    )
    .option('--csv', 'print serial, key and proof of possession as lines of CSV')
    .addOption(
      new Option(
        '--link [address]',
        "also print a link and its QR that make a phone's browser this speaker; address: the hub's, as phones reach it",
      )
        .argParser(pagesAddress)
        .conflicts('csv'),
    )
    .addOption(ofBox('--dialect <name>', 'a box of another maker: its dialect, or its profile'))
    .addOption(ofBox('--profile <name>', 'a box of another maker: its profile, by name or file'))
    .addOption(
      new Option('--password-stdin', 'its password stands in the box: read it from standard input').conflicts(
        'secretFile',
      ),
    )
    .option('--secret-file <file>', "the maker's secret, from which its password is computed", notBlank)
    .option('--accept-weak-login', 'also when its login does not prove which box it is')
    .action(show(addDevice))
}

/** `hub device`: speakers. */
export function deviceCommands(program: Command) {
  const parent = program.command('device').description('speakers')
  deviceAddCommand(parent)
  list(parent, 'list devices, newest first', `${SHOWN} on a terminal, and all as JSON`)
    .addOption(
      new Option('--state <state>', 'only these').choices(['online', 'offline', 'locked', 'free', 'revoked']),
    )
    .option('--serial-prefix <text>', 'only serials that begin so', serialPrefix)
    .option('--dialect <name>', 'only those that speak it: sb/1, hemipay, oneway or alink', notBlank)
    .option(
      '--silent-since <time>',
      'only those away and not seen since, such as 10m or an ISO time',
      instant,
    )
    .option('--low-battery <percent>', 'only those that reported at most this', percent)
    .action(look(deviceList))
  leaf(parent, 'show <serial>', 'show all about a device, and why it is silent')
    .option('--client <id>', 'the partner who asks: tells when the device belongs to another')
    .action(look(deviceShow))
  const revoke = ['revoke [serial]', '--serial <serial>', 'serial'] as const
  onOne(parent, revoke, "end a device's access for good", device.deviceRevoke)
  leaf(parent, 'identify <serial>', 'make a connected device beep and flash').action(
    open(device.deviceIdentify),
  )
  leaf(
    parent,
    'rotate <serials...>',
    'give devices new keys; the old ones work until a device has confirmed',
  ).action(open(deviceRotate))
  leaf(parent, 'update <serials...>', 'offer firmware to devices; they decide')
    .option('--fw <version>', 'its version, as the birth of a device will say it')
    .option('--url <url>', 'where the image is')
    .option('--size <bytes>', 'its length', Number)
    .option('--sha256 <hash>', 'its SHA-256, 43 characters of base64url')
    .option('--sig <signature>', "its maker's signature in base64url")
    .option('--withdraw', 'withdraw the offer instead')
    .action(
      show((serials: readonly string[], options: DeviceUpdateOptions) => {
        const offer = firmwareOffer(options)
        return inWorkspace((workspace) => deviceUpdate(workspace, serials, offer))
      }),
    )
  leaf(parent, 'settings <serial>', "show a device's settings, or change them by the options")
    .option('--volume <percent>', 'loudness, 0 to 100', percent)
    .addOption(new Option('--lang <language>', 'language of its announcements').choices(LANGUAGES))
    .action(
      show((serial: string, change: SettingsChange) => {
        const isChange = change.volume !== undefined || change.lang !== undefined
        const into = isChange ? inWorkspace : lookIntoWorkspace
        return into((workspace) => device.deviceSettings(workspace, serial, change))
      }),
    )
}
