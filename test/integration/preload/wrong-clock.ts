/**
 * A clock that is $CLOCK_OFFSET milliseconds ahead, or behind if that is negative. With $CLOCK_JUMP it jumps back and
 * forth by as much every $CLOCK_JUMP milliseconds.
 */
const offset = Number(process.env.CLOCK_OFFSET)
const jump = Number(process.env.CLOCK_JUMP ?? Infinity)
const RightDate = Date

function wrongTime (): number {
  const now = RightDate.now()

  return now + (Math.floor(now / jump) % 2 === 0 ? offset : -offset)
}

globalThis.Date = new Proxy(RightDate, {
  construct: (target, args: [], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [wrongTime()] : args, newTarget) as Date,
  get: (target, name, receiver) => name === 'now' ? wrongTime : Reflect.get(target, name, receiver) as unknown
})
