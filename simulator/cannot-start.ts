/** Something that was asked for on the command line can't be had, or not any more; the message is for the person who asked. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart'
}
