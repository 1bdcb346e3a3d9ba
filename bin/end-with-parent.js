// Loaded before the program when soundbox-hub stays as its parent: when that is killed, the program ends too.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
// The channel does not keep the program alive.
process.channel?.unref()
