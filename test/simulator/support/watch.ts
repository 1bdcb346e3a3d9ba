import type { SpeakerEvent } from '../../../simulator/speaker/device/state/speaker-events.ts'
import type { FeedItem } from '../../../simulator/speaker/feed.ts'
import type { Speaker } from '../../../simulator/speaker/speaker.ts'

type Named<E extends SpeakerEvent['event']> = Extract<SpeakerEvent, { event: E }>

/** Records a speaker's feed and waits for events. */
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

  get events(): SpeakerEvent[] {
    return this.items.flatMap((item) => (item.kind === 'event' ? [item.event] : []))
  }

  /** The next event of this name after the last one returned. */
  async next<E extends SpeakerEvent['event']>(name: E): Promise<Named<E>> {
    for (;;) {
      const { events } = this
      while (this.#read < events.length) {
        const event = events[this.#read]
        this.#read += 1
        if (event && isNamed(event, name)) return event
      }
      await new Promise<void>((wake) => this.#waiting.push(wake))
    }
  }
}

function isNamed<E extends SpeakerEvent['event']>(event: SpeakerEvent, name: E): event is Named<E> {
  return event.event === name
}
