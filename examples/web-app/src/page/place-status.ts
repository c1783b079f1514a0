/** What people tap. */
const CONTROLS = 'a, button, input, label.button, select, summary, audio, video'
/** How far from the edge of the window it is, and how far from one place to the next that is tried, in pixels. */
const MARGIN = 12
const STEP = 4

let watched: HTMLElement | undefined

/** Move a message that lies over the page up from the bottom of the window, until it covers nothing to be tapped. */
export function placeBesideControls (message: HTMLElement): void {
  if (watched == null) {
    watched = message
    addEventListener('scroll', placeSoon, { passive: true, capture: true })
    addEventListener('resize', placeSoon)
    // what is shown next moves the controls
    new MutationObserver(placeSoon).observe(document.body, { childList: true, subtree: true })
  }

  place()
}

let isPlanned = false

function placeSoon (): void {
  if (!isPlanned) {
    isPlanned = true
    requestAnimationFrame(() => {
      isPlanned = false
      place()
    })
  }
}

function place (): void {
  if (watched == null || watched.textContent === '') {
    return
  }

  const { left, right, height } = watched.getBoundingClientRect()
  const covered = [...document.querySelectorAll(CONTROLS)]
    .map(control => control.getBoundingClientRect())
    .filter(rect => rect.height > 0 && rect.left < right && rect.right > left)
  const isFree = (bottom: number): boolean => {
    const lower = innerHeight - bottom
    const upper = lower - height

    return covered.every(rect => rect.bottom <= upper || rect.top >= lower)
  }
  let bottom = MARGIN

  while (!isFree(bottom) && bottom + height + MARGIN < innerHeight) {
    bottom += STEP
  }

  // everywhere is something: where it always is
  watched.style.bottom = `${isFree(bottom) ? bottom : MARGIN}px`
}
