import { systemClock } from '../../platform/clock.ts'
import { messageOf } from '../../platform/error-text.ts'
import { CannotStart } from '../../platform/errors.ts'
import type { SoundChoice } from '../../run/outputs.ts'
import { createPlayer } from '../../sound/player.ts'
import { findPrograms } from '../../sound/programs.ts'
import { createRecorder } from '../../sound/recorder.ts'
import type { DeviceLine } from '../device/device.ts'
import { DacListener } from '../device/sound.ts'

export interface DeviceSound {
  /** A line of the device: it names the sound that follows. */
  line(line: DeviceLine): void
  /** Bytes of the DAC. */
  receive(bytes: Uint8Array): void
  close(): Promise<void>
}

/** Plays and records what the DAC gets, as the options ask for. Throws `CannotStart`. */
export function openSound(
  { sound, recordDir }: SoundChoice,
  serial: string,
  { PATH }: NodeJS.ProcessEnv,
  tell: (line: DeviceLine) => void,
): DeviceSound {
  const onTrouble = (reason: string) => tell({ event: 'trouble', with: 'sound', reason })
  const player = sound
    ? createPlayer({ programs: findPrograms(PATH), clock: systemClock, onTrouble })
    : undefined
  const recorder = recordDir === undefined ? undefined : recorderIn(recordDir, serial)
  let next = { n: 0, what: 'sound' }
  let written: Promise<unknown> = Promise.resolve()
  const dac = new DacListener(systemClock, (audio) => {
    player?.play(audio)
    const { n, what } = next
    const recorded = recorder?.record(n, what, audio).then(
      (file) => tell({ event: 'recorded', n, file }),
      (error: unknown) => tell({ event: 'trouble', with: 'record', reason: messageOf(error) }),
    )
    written = Promise.all([written, recorded])
  })
  return {
    line: ({ event, n, amount, currency }) => {
      if (event === 'announce' || event === 'identify') dac.end()
      if (event === 'announce') next = { n: Number(n), what: `${amount}${currency}` }
      if (event === 'identify') next = { n: Number(n), what: 'identify' }
      if (event === 'power') dac.end()
    },
    receive: (bytes) => {
      if (player || recorder) dac.receive(bytes)
    },
    close: async () => {
      dac.end()
      await written
      player?.close()
    },
  }
}

function recorderIn(dir: string, serial: string) {
  try {
    return createRecorder(dir, serial)
  } catch (error) {
    throw new CannotStart(`--record: ${dir} is not writable: ${messageOf(error)}`)
  }
}
