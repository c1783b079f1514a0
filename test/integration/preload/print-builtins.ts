/** Preloaded into a process that prints which modules of Node it has loaded when it exits, to stderr. */
const { moduleLoadList } = process as typeof process & { moduleLoadList: string[] }

process.once('exit', () => { process.stderr.write(`${moduleLoadList.join('\n')}\n`) })
