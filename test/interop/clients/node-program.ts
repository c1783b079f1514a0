/** Runs functions with Node's own fetch, as a page runs them. For clients.ts. */

process.on('disconnect', () => { process.exit() })
process.on('message', async ({ code, arg }: { code: string, arg: unknown }) => {
  try {
    // oxlint-disable-next-line no-eval
    process.send?.({ result: await (0, eval)(`(${code})`)(arg) })
  } catch (err) {
    process.send?.({ error: String(err) })
  }
})
