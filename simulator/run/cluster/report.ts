import type { Figures } from './model/accounts.ts'

const LABELS: Record<keyof Figures, string> = {
  paid: 'paid (answered with 200)',
  heard: 'heard from a speaker',
  missed: 'shown as missed',
  underWay: 'still under way',
  unanswered: 'never answered with 200',
  lost: 'lost',
  doubled: 'doubled',
}
const LABEL_COLUMNS = 28
const FIGURE_COLUMNS = 8

/** The ledger as lines, and what is wrong, a sentence each. */
export function reportLines(figures: Figures, unsettled: string | undefined): string[] {
  const ledger = Object.entries(LABELS).map(
    ([name, label]) =>
      label.padEnd(LABEL_COLUMNS) + String(figures[name as keyof Figures]).padStart(FIGURE_COLUMNS),
  )
  return [...ledger, ...(unsettled === undefined ? [] : [unsettled]), verdictOf(figures)]
}

/** Whether the ledger has no payment that is lost or doubled, or that nobody can answer for. */
export function isSound({ paid, lost, doubled, unanswered, underWay }: Figures): boolean {
  return paid > 0 && lost + doubled + unanswered + underWay === 0
}

function verdictOf(figures: Figures): string {
  const { paid, lost, doubled } = figures
  if (lost + doubled > 0) return 'BROKEN: a payment was lost or doubled.'
  if (paid === 0) return 'Nothing was paid.'
  return 'No payment was lost, and none was doubled.'
}
