import type { Speaker } from '../../speaker.ts'
import { App } from '../../ui/app.tsx'

const BACK = [{ key: 'esc', label: 'back to the fleet' }]

/** One speaker of the fleet as it is seen alone. Only now it has a log: what happens while it is looked at. */
export function OpenedSpeaker({
  speaker,
  colour,
  onBack,
}: {
  speaker: Speaker
  colour: boolean
  onBack: () => void
}) {
  return (
    <App
      speaker={speaker}
      colour={colour}
      extraLines={undefined}
      extraKeys={BACK}
      footer=""
      onKey={() => {}}
      onQuit={onBack}
    />
  )
}
