/** States one after another, to go back and forth in without end. */

export class History<State> {
  private past: State[] = [];
  private future: State[] = [];

  constructor(private now: State) {}

  get state(): State {
    return this.now;
  }

  push(state: State): void {
    this.past.push(this.now);
    this.now = state;
    this.future = [];
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  undo(): boolean {
    const before = this.past.pop();
    if (before === undefined) return false;
    this.future.push(this.now);
    this.now = before;
    return true;
  }

  redo(): boolean {
    const after = this.future.pop();
    if (after === undefined) return false;
    this.past.push(this.now);
    this.now = after;
    return true;
  }

  /** What to keep to go on later. */
  kept(): { past: State[]; now: State; future: State[] } {
    return { past: this.past, now: this.now, future: this.future };
  }

  static from<State>(kept: { past: State[]; now: State; future: State[] }): History<State> {
    const history = new History(kept.now);
    history.past = kept.past;
    history.future = kept.future;
    return history;
  }
}
