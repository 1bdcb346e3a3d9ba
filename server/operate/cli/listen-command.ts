import { type Command, Option } from 'commander'
import { eventType, eventTypes, leaf, receiver, url } from './command-parts.ts'
import { type ListenOptions, listenOnTerminal } from './listen.ts'

export function listenCommand(program: Command) {
  leaf(program, 'listen', "print a partner's events as they come, and forward them; Ctrl+C ends it")
    .requiredOption(
      '--client <id>',
      "the partner's client id; its secret is in HUB_CLIENT_SECRET, or asked for",
    )
    .option(
      '--types <types>',
      'only events of these types, with commas between them; all when absent',
      eventTypes,
    )
    .addOption(
      new Option('--once <type>', 'wait for one event of this type, print it and end: for scripts')
        .argParser(eventType)
        .conflicts('types'),
    )
    .option(
      '--forward-to <url>',
      'send each event there once, signed by the secret that is printed first',
      receiver,
    )
    .option('--new-secret', 'sign by another secret from now on; without it, by the same one each time')
    .option('--url <url>', "the hub's address; found in the data folder when absent", url)
    .addHelpText(
      'after',
      "\nIt needs no data folder: give --url and the secret. On the hub's machine neither is needed.\n" +
        'It begins with the events that come from now on, and forwards them one after another.\n' +
        'It does not repeat a forward that fails; the event log has all events. While the hub is away it\n' +
        'waits, and goes on where it was.',
    )
    .action(function (this: Command, options: ListenOptions) {
      return listenOnTerminal(options, this.optsWithGlobals().json === true)
    })
}
