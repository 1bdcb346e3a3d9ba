/** Something that was asked for on the command line can't be had, or not any more; the message is for the person who asked. */
export class CannotStart extends Error {
  override readonly name: string = 'CannotStart'
}

/** What was asked for can't be right: a file that is named can't be read, or has no such place. */
export class WrongUsage extends CannotStart {
  override readonly name = 'WrongUsage'
}
