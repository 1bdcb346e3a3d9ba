import { volatileMemory } from '../../../simulator/speaker/memory/memory.ts'
import { createSpeaker } from '../../../simulator/speaker/speaker.ts'
import { noteSpeaker } from '../../support/proof/note-speaker.ts'
import type { Ear } from './ear.ts'
import type { Shop, World } from './world.ts'

/** Short, so that no scenario waits for speech. Not zero, so that sentences can be interrupted. */
const MS_PER_CLIP = 1

/** Switches on the simulator's speaker of a shop. */
export function switchOnSimulated(
  { hub, history, random: worlds }: Pick<World, 'hub' | 'history' | 'random'>,
  { serial, key, terminalID }: Shop,
  random = worlds,
): Ear {
  const speaker = createSpeaker({
    ...{ serial, key, url: hub.mqtt, random },
    memory: volatileMemory(),
    config: { msPerClip: MS_PER_CLIP },
  })
  const self = { terminalID, sessions: 0, online: false, stop: () => speaker.stop() }
  noteSpeaker(speaker, terminalID, (happening) => {
    history.note(happening)
    if (happening.kind === 'online') self.sessions += 1
    if (happening.kind === 'online' || happening.kind === 'offline') self.online = happening.kind === 'online'
  })
  speaker.start()
  return self
}

/** The same for all shops. */
export function switchOnAll(world: World, random = world.random): Ear[] {
  return world.shops.map((shop) => switchOnSimulated(world, shop, random))
}
