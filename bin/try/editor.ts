import type { Key } from './keys.ts'

const historyLength = 200

/** A line that is being typed, with those that were typed before. */
export class Editor {
  #text = ''
  #cursor = 0
  #history: string[] = []
  #place = 0
  #draft = ''

  get text(): string {
    return this.#text
  }

  /** Where the next letter goes, counted in UTF-16 units. */
  get cursor(): number {
    return this.#cursor
  }

  set(text: string, cursor = text.length): void {
    this.#text = text
    this.#cursor = cursor
  }

  /** Does what a key does to a line. Returns the line when the key ended it. */
  press(key: Key): string | undefined {
    switch (key.name) {
      case 'text':
        this.#replace(this.#cursor, this.#cursor, key.text)
        break
      case 'enter':
        return this.#enter()
      case 'backspace':
        this.#replace(this.#left(), this.#cursor)
        break
      case 'delete':
        this.#replace(this.#cursor, this.#right())
        break
      case 'delete-word':
        this.#replace(this.#text.slice(0, this.#cursor).search(/\S*\s*$/), this.#cursor)
        break
      case 'delete-to-start':
        this.#replace(0, this.#cursor)
        break
      case 'delete-to-end':
        this.#replace(this.#cursor, this.#text.length)
        break
      case 'left':
        this.#cursor = this.#left()
        break
      case 'right':
        this.#cursor = this.#right()
        break
      case 'home':
        this.#cursor = 0
        break
      case 'end':
        this.#cursor = this.#text.length
        break
      case 'up':
        this.#recall(this.#place - 1)
        break
      case 'down':
        this.#recall(this.#place + 1)
        break
    }
    return undefined
  }

  #enter(): string {
    const line = this.#text.trim()
    if (line !== '' && line !== this.#history.at(-1)) this.#history.push(line)
    if (this.#history.length > historyLength) this.#history.shift()
    this.#place = this.#history.length
    this.set('')
    return line
  }

  #recall(place: number): void {
    if (place < 0 || place > this.#history.length) return
    if (this.#place === this.#history.length) this.#draft = this.#text
    this.#place = place
    this.set(this.#history[place] ?? this.#draft)
  }

  #replace(start: number, end: number, text = ''): void {
    this.#text = this.#text.slice(0, start) + text + this.#text.slice(end)
    this.#cursor = start + text.length
  }

  #left(): number {
    const letter = [...this.#text.slice(0, this.#cursor)].at(-1) ?? ''
    return this.#cursor - letter.length
  }

  #right(): number {
    return this.#cursor + ([...this.#text.slice(this.#cursor)][0] ?? '').length
  }
}
