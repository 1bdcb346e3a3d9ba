import {
  type AbilitiesOf,
  ownAbilities,
  type ProfilesProving,
  unknownAbilities,
} from '../devices/abilities.ts'
import { type Abilities, type DeviceKind, OWN_DIALECT } from '../devices/device.ts'
import type { ProfileRecords } from '../devices/ports.ts'

/**
 * What devices can do. Only the first box loads the dialects: most hubs have none. Calls at the same time read a stored
 * profile once; it is not kept, because an operator may replace it.
 */
export function createAbilities({ profiles }: { profiles: Pick<ProfileRecords, 'find' | 'list'> }): {
  abilitiesOf: AbilitiesOf
  profilesProving: ProfilesProving
} {
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

  async function abilitiesOf(device: DeviceKind): Promise<Abilities> {
    const { dialect, profile: name } = device
    if (dialect === OWN_DIALECT) return ownAbilities(device)
    if (name === undefined) return unknownAbilities(device)
    const { dialectOf, resolveProfile, SHIPPED } = await import('./boxes.ts')
    const profile = resolveProfile(name, SHIPPED.has(name) ? undefined : await documentOf(name))
    return profile ? dialectOf(profile).abilities(profile) : unknownAbilities(device)
  }

  return {
    abilitiesOf,

    async profilesProving(proof) {
      const { dialectOf, resolveProfile, SHIPPED } = await import('./boxes.ts')
      const stored = (await profiles.list()).map(({ name, document }) => ({
        name,
        profile: resolveProfile(name, document),
      }))
      const all = [...[...SHIPPED].map(([name, profile]) => ({ name, profile })), ...stored]
      const boxes = all
        .filter(({ profile }) => (profile ? dialectOf(profile).abilities(profile).proof : 'none') === proof)
        .map(({ name }) => name)
      return proof === ownAbilities({ languages: [] }).proof ? [OWN_DIALECT, ...boxes] : boxes
    },
  }
}
