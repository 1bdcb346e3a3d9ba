import { OWN_DIALECT } from '../../devices/device.ts'
import type { Config } from '../../platform/config.ts'
import { OperatorError } from '../../platform/errors.ts'
import type { Storage } from '../../storage/ports.ts'

type Boxes = Config['boxes']

/**
 * How many boxes of other makers there are, by profile, and who may connect to their port. Boxes without a port, or with
 * a profile that this hub does not understand, are an OperatorError: they stay silent.
 */
export async function reportBoxes(
  { devices, profiles }: Pick<Storage, 'devices' | 'profiles'>,
  { host, port, tlsPort, from }: Boxes,
): Promise<string> {
  const all = await devices.list()
  const boxes = all.filter(({ dialect, revokedAt }) => dialect !== OWN_DIALECT && revokedAt === undefined)
  const isOpen = port !== undefined || tlsPort !== undefined
  const listener = isOpen
    ? `from ${from === undefined ? 'everywhere that reaches ' : 'HUB_BOX_FROM alone at '}${host}`
    : 'no port'
  if (boxes.length === 0) return `none; ${listener}`
  if (!isOpen)
    throw new OperatorError(`${boxes.length} boxes can't connect: set HUB_BOX_PORT, and start the hub again.`)
  const { kindsByName } = await import('./box-profiles.ts')
  const kinds = await kindsByName(profiles)
  const byProfile = Object.entries(Object.groupBy(boxes, ({ profile = '' }) => profile))
  const strange = byProfile.filter(([name]) => !kinds.has(name)).map(([name]) => name)
  if (strange.length > 0)
    throw new OperatorError(
      `This hub does not understand the profiles ${strange.join(', ')}, so their boxes are refused: hub profile save puts others in their place.`,
    )
  const counted = byProfile.map(([name, some = []]) => {
    const weak = kinds.get(name)?.identity === 'weak' ? ' with a weak login' : ''
    return `${some.length} ${name}${weak}`
  })
  return `${counted.join(', ')}; ${listener}`
}
