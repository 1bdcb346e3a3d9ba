import { isBox } from '../../../boxes/box-speaker.ts'
import { BoxApp } from '../../../boxes/screen/app.tsx'
import { App } from '../../../screen/app.tsx'
import type { Speaker } from '../../../speaker/speaker.ts'

/** One speaker of the fleet on its own screen. Its log begins when it is opened. */
export function OpenedSpeaker({
  speaker,
  colour,
  tmux,
  onBack,
}: {
  speaker: Speaker
  colour: boolean
  tmux: string | undefined
  onBack: () => void
}) {
  if (isBox(speaker)) return <BoxApp box={speaker.box} colour={colour} onQuit={onBack} onEscape={onBack} />
  return (
    <App
      speaker={speaker}
      controls={speaker}
      colour={colour}
      tmux={tmux}
      extraLines={undefined}
      extraKeys={[]}
      footer=""
      onKey={() => {}}
      onQuit={onBack}
      onEscape={onBack}
      quitLabel="back to the fleet"
    />
  )
}
