import { type AbilitiesOf, ownAbilities, unknownAbilities } from '../devices/abilities.ts'
import { OWN_DIALECT } from '../devices/device.ts'
import type { ProfileRecords } from '../devices/ports.ts'

/**
 * What a device can do. Only the first box loads the dialects: most hubs have none. Calls at the same time read a stored
 * profile once; it is not kept, because an operator may replace it.
 */
export function createAbilities({ profiles }: { profiles: Pick<ProfileRecords, 'find'> }): AbilitiesOf {
  const reads = new Map<string, Promise<string | undefined>>()

  function documentOf(name: string): Promise<string | undefined> {
    const found =
      reads.get(name) ??
      profiles
        .find(name)
        .then((stored) => stored?.document)
        .finally(() => reads.delete(name))
    reads.set(name, found)
    return found
  }

  return async function abilitiesOf(device) {
    const { dialect, profile: name } = device
    if (dialect === OWN_DIALECT) return ownAbilities(device)
    if (name === undefined) return unknownAbilities(device)
    const { dialectOf, resolveProfile, SHIPPED } = await import('./boxes.ts')
    const profile = resolveProfile(name, SHIPPED.has(name) ? undefined : await documentOf(name))
    return profile ? dialectOf(profile).abilities(profile) : unknownAbilities(device)
  }
}
