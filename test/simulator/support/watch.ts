import type { Happening } from '../../../simulator/speaker/device/state/speaker-events.ts'
import type { FeedItem } from '../../../simulator/speaker/feed.ts'
import type { Speaker } from '../../../simulator/speaker/speaker.ts'

type Named<E extends Happening['event']> = Extract<Happening, { event: E }>

/** Everything a speaker's feed has said, and a way to wait for what it will say. */
export class Watch {
  readonly items: FeedItem[] = []
  #waiting: (() => void)[] = []
  #read = 0

  constructor(speaker: Pick<Speaker, 'subscribe'>) {
    speaker.subscribe((item) => {
      this.items.push(item)
      for (const wake of this.#waiting.splice(0)) wake()
    })
  }

  get happenings(): Happening[] {
    return this.items.flatMap((item) => (item.kind === 'happening' ? [item.happening] : []))
  }

  /** The next happening of this name that has not been waited for yet. */
  async next<E extends Happening['event']>(event: E): Promise<Named<E>> {
    for (;;) {
      const { happenings } = this
      while (this.#read < happenings.length) {
        const happening = happenings[this.#read]
        this.#read += 1
        if (happening && isNamed(happening, event)) return happening
      }
      await new Promise<void>((wake) => this.#waiting.push(wake))
    }
  }
}

function isNamed<E extends Happening['event']>(happening: Happening, event: E): happening is Named<E> {
  return happening.event === event
}
