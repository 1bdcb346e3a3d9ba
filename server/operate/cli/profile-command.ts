import type { Command } from 'commander'
import type { StoredProfiles } from './box-profiles.ts'
import { leaf, open, show } from './command-parts.ts'
import type { Outcome } from './output.ts'
import { hasDatabase, lookIntoWorkspace } from './workspace.ts'

/** `hub profile`: models of boxes of other makers. Other commands do not load their dialects. */
export function profileCommands(program: Command) {
  const parent = program.command('profile').description("models of other makers' boxes")
  const verbs = () => import('./profile.ts')
  leaf(parent, 'list', 'list the profiles, those that ship and those that are stored').action(
    show(() => withStored(async (stored) => (await verbs()).profileList(stored))),
  )
  leaf(parent, 'show <name>', 'print a profile as JSON, to be edited and saved under another name').action(
    show((name: string, _: object, command: Command) => {
      const isOneLine = command.optsWithGlobals().json === true
      return withStored(async (stored) => (await verbs()).profileShow(stored, name, isOneLine))
    }),
  )
  leaf(parent, 'check <file>', 'say what is wrong with the file of a profile').action(
    show(async (file: string) => (await verbs()).profileCheck(file)),
  )
  leaf(parent, 'save <file>', 'store a profile, or put it in the place of the one with its name').action(
    open(async (workspace, file: string) => (await verbs()).profileSave(workspace, file), { makes: true }),
  )
}

/** Profiles that ship are there before the first start of a hub. */
function withStored(act: (stored: StoredProfiles) => Promise<Outcome>): Promise<Outcome> {
  return hasDatabase() ? lookIntoWorkspace(({ storage }) => act(storage.profiles)) : act(undefined)
}
