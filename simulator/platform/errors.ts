/** The program can't do, or can't continue, what the command line asks for. The message is for the user. */
export class CannotStart extends Error {
  override readonly name: string = 'CannotStart'
}

/** The command line is wrong: a file can't be read, or a position does not exist in it. */
export class WrongUsage extends CannotStart {
  override readonly name = 'WrongUsage'
}
