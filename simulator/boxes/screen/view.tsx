import { Box, Text } from 'ink'
import type { Area } from '../../screen/drawing/area.ts'
import { Framed } from '../../screen/drawing/framed.tsx'
import { Lines } from '../../screen/drawing/lines.tsx'
import { shortened, wrap } from '../../screen/drawing/text.ts'
import { Footer, type KeyLabel } from '../../screen/keys/footer.tsx'
import { BOX_FAULT_NOTES, BOX_FAULTS } from '../core/faults.ts'
import { Device } from './device.tsx'
import { BareQr } from './display.tsx'
import { letterOf } from './keys.ts'
import { type BoxModel, qrOf, SMALLEST } from './model.ts'

/** From here on the log stands beside the box. */
const BESIDE_COLUMNS = 78
const WIDEST_BOX = 56

export function BoxView({ model }: { model: BoxModel }) {
  const { columns, rows, overlay } = model
  if (columns < SMALLEST.columns || rows < SMALLEST.rows)
    return (
      <Text>
        {wrap(
          `The box needs a terminal of ${SMALLEST.columns}x${SMALLEST.rows}; this one is ${columns}x${rows}.`,
          Math.max(2, columns),
        ).join('\n')}
      </Text>
    )
  // A QR may need every row: there are no keys then.
  if (overlay === 'qr') return <BareQr model={model} room={{ columns, rows }} />
  const area = { columns, rows: rows - 1 }
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      {overlay === 'faults' ? <Faults model={model} area={area} /> : <Parts model={model} area={area} />}
      <Footer columns={columns} keys={keysOf(model)} text="" />
    </Box>
  )
}

function Parts({ model, area }: { model: BoxModel; area: Area }) {
  const { columns, rows } = area
  if (columns < BESIDE_COLUMNS) return <Device model={model} area={area} />
  const device = { columns: Math.min(WIDEST_BOX, Math.floor(columns / 2)), rows }
  return (
    <Box height={rows} flexShrink={0}>
      <Device model={model} area={device} />
      <Log lines={model.log} area={{ columns: columns - device.columns, rows }} />
    </Box>
  )
}

function Log({ lines, area }: { lines: readonly string[]; area: Area }) {
  const room = { columns: area.columns - 4, rows: area.rows - 2 }
  const shown = lines.slice(-room.rows).map((line) => shortened(line, room.columns))
  return (
    <Framed area={area} top={{ left: <Text bold>what happens</Text> }}>
      <Lines rows={shown} />
    </Framed>
  )
}

function Faults({ model, area }: { model: BoxModel; area: Area }) {
  const { faults } = model.snapshot.state
  const width = Math.max(...BOX_FAULTS.map((fault) => fault.length))
  const rows = BOX_FAULTS.map((fault) => {
    const on = faults.includes(fault)
    return `${letterOf(fault)}  ${on ? '▲ on ' : '○ off'}  ${fault.padEnd(width)}  ${BOX_FAULT_NOTES[fault]}`
  })
  return (
    <Framed area={area} top={{ left: <Text bold>faults</Text> }}>
      <Lines rows={rows.map((row) => shortened(row, area.columns - 4))} />
    </Framed>
  )
}

function keysOf({ overlay, firmware, snapshot }: BoxModel): readonly KeyLabel[] {
  const back = { key: 'Esc', label: 'back' }
  if (overlay === 'faults') return [{ key: 'a to i', label: 'break or repair' }, back]
  return [
    ...(firmware.picture === 'keypad' ? [{ key: '0-9 ↵ ⌫ c', label: 'keypad' }] : []),
    { key: 'q', label: 'quit' },
    ...(qrOf(snapshot) ? [{ key: 'z', label: 'QR alone' }] : []),
    { key: 'b', label: 'break' },
    { key: 'x', label: 'cable' },
    { key: 'o', label: 'on/off' },
  ]
}
