/** The page: its views, its puzzle, and the fragment that says which of them is seen. */

import { ask, sayFault, where } from "./ask/ask";
import type { About, Read } from "./ask/types";
import { readOf } from "./model/drawing";
import { readHere, unpack } from "./model/packed";
import type { Day } from "./model/finishes";
import { recallOpen, rememberOpen } from "./model/store";
import { h } from "./parts/dom";
import { loadInBackground } from "./parts/loading";
import { setUpTheme } from "./parts/theme";
import { showNamedCells } from "./parts/words";
import type { App, View } from "./views/app";
import { Chooser } from "./views/chooser";
import { CompareView } from "./views/compare";
import { DaysView } from "./views/days";
import { DrawView } from "./views/draw";
import { LookView } from "./views/look";
import { PlayView } from "./views/play";
import { type Draft, drawingOfDraft } from "./views/screenshot";

/** What is so until the answer comes: what a visitor may do is known only by who answers. */
const PRESUMED: About = {
  version: "",
  where,
  verbs: [
    "read",
    "generate",
    "solve",
    "count",
    "solutions",
    "sample",
    "hint",
    "explain",
    "rate",
    "prove",
    "convert",
    "read_picture",
  ],
  engines: [],
  limits: { seconds: 10, bytes: 1_000_000 },
  sizes: {},
};

class Page implements App {
  about = PRESUMED;
  puzzle: Read | null = null;
  days: readonly string[] = [];
  address: string | null = where === "browser" ? location.href : null;
  private readonly opened = new Map<string, Read[]>();
  private readonly main = document.getElementById("main") as HTMLElement;
  private readonly nav = document.getElementById("views") as HTMLElement;
  private readonly views = new Map<string, { title: string; make: () => View; made?: View }>();
  private now: View | null = null;
  private chooser: Chooser | null = null;
  private play: PlayView | null = null;
  private draw: DrawView | null = null;

  async begin(): Promise<void> {
    setUpTheme(document.getElementById("theme") as HTMLButtonElement);
    showNamedCells();
    if (where === "browser") void loadInBackground(document.getElementById("loading") as HTMLElement);
    const examples = loadExamples();
    if (where === "local") ({ days: this.days, address: this.address } = await loadServed());
    this.setUp();
    // where nobody says, what is presumed goes on to be so
    void ask<About>("about", {})
      .then((about) => this.learn(about))
      .catch(() => undefined);
    window.addEventListener("hashchange", () => void this.follow());
    if (!(await this.follow())) await this.openFirst(examples);
    this.chooser?.showExamples((await examples.catch(() => ({ puzzles: [] }))).puzzles);
  }

  private setUp(): void {
    this.chooser = new Chooser(
      this.about,
      (read) => this.open(read),
      (draft) => this.openDraft(draft),
    );
    this.play = new PlayView(this, () => this.chooser?.open());
    const { play } = this;
    this.views.set("play", { title: "Play", make: () => play });
    if (this.days.length) {
      const days = new DaysView(this.days, (date, level) => void this.openDay({ date, level }, "board"));
      this.views.set("days", { title: "Days", make: () => days });
    }
    const draw = (this.draw = new DrawView(this));
    this.views.set("draw", { title: "Draw", make: () => draw });
    this.views.set("look", { title: "Solutions", make: () => new LookView(this) });
    document.body.append(this.chooser.element);
    this.learn(this.about);
  }

  /** Shows the views that work here. */
  private learn(about: About): void {
    this.about = about;
    this.chooser?.learn(about);
    this.play?.learn();
    if (about.verbs.includes("compare"))
      this.views.set("compare", { title: "Compare", make: () => new CompareView(this) });
    this.showNav();
    if (this.puzzle && location.hash === "#compare") this.show("compare");
  }

  /** Adds the links of new views; those that are there stay, as one may be under a click. */
  private showNav(): void {
    for (const [name, { title }] of this.views) {
      if (!this.nav.querySelector(`[data-view="${name}"]`))
        this.nav.append(h("a", { href: `#${name}`, "data-view": name }, title));
    }
    this.markNow();
  }

  open(read: Read, board: string | null = null): void {
    this.puzzle = read;
    rememberOpen(read);
    document.title = `${read.name} · milp-pips`;
    this.play?.set(read, board);
    this.go("play");
    window.scrollTo(0, 0);
    this.play?.focus();
  }

  pickPicture(): void {
    this.chooser?.pickPicture();
  }

  /** Plays what was read with certainty; what is doubtful is drawn, and so is what was read in Draw. */
  private openDraft(draft: Draft): void {
    const drawing = drawingOfDraft(draft);
    const read = drawing && readOf(drawing);
    if (!drawing) this.complain("The puzzle is too large to be drawn here.");
    else if (read && draft.solvable && !draft.doubts.length && this.now !== this.draw) this.open(read);
    else {
      this.go("draw");
      this.draw?.take(drawing, draft);
      window.scrollTo(0, 0);
    }
  }

  async readDay(date: string): Promise<Read[]> {
    const reads = this.opened.get(date) ?? (await readDay(date));
    this.opened.set(date, reads);
    return reads;
  }

  async openDay({ date, level }: Day, focus: "board" | "tab"): Promise<void> {
    try {
      const read = (await this.readDay(date)).find(({ day }) => day?.level === level);
      if (!read) throw new Error(`the day has no puzzle ${level}`);
      this.open(read);
      if (focus === "tab") this.main.querySelector<HTMLElement>(`#tab-${level}`)?.focus();
    } catch (error) {
      this.complain(`${date} cannot be opened: ${sayFault(error)}.`);
    }
  }

  go(view: string): void {
    if (location.hash !== `#${view}`) history.pushState(null, "", `#${view}`);
    this.show(view);
  }

  private show(name: string): void {
    const view = this.views.get(name) ?? this.views.get("play");
    if (!view) return;
    view.made ??= view.make();
    if (this.now !== view.made) {
      this.now?.leave();
      this.now = view.made;
      this.main.replaceChildren(view.made.element);
    }
    view.made.enter();
    this.markNow();
  }

  private markNow(): void {
    for (const link of this.nav.querySelectorAll("a")) {
      const made = this.views.get(link.dataset.view ?? "")?.made;
      if (made && made === this.now) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  /** Goes where the fragment says; whether it brought a puzzle. */
  private async follow(): Promise<boolean> {
    const fragment = location.hash.slice(1);
    if (!fragment.startsWith("puzzle=")) {
      if (this.puzzle) this.show(fragment);
      return false;
    }
    try {
      const packed = await unpack(fragment.slice("puzzle=".length));
      let read = readHere(packed);
      if (!read) {
        const answer = await ask<{ puzzles: Read[]; faults: string[] }>("read", {
          file: { name: packed.name, text: packed.text },
        });
        read = answer.puzzles[0] ?? null;
        if (!read) throw new Error(answer.faults[0] ?? "the link holds no puzzle");
      }
      history.replaceState(null, "", "#play");
      this.open({ ...read, name: packed.name }, packed.board);
      return true;
    } catch (error) {
      history.replaceState(null, "", "#play");
      this.complain(`This link cannot be opened: ${sayFault(error)}.`);
      return false;
    }
  }

  /** Goes on with the puzzle that was open last; without one, with the first example. */
  private async openFirst(examples: Promise<{ puzzles: Read[] }>): Promise<void> {
    const wanted = location.hash.slice(1) || (this.days.length ? "days" : "");
    const last = recallOpen() as Read | null;
    if (!(last?.text && this.lay(last))) {
      const first = (await examples.catch(() => null))?.puzzles[0];
      if (!first || !this.lay(first)) {
        this.complain("The examples could not be loaded.");
        this.chooser?.open();
        return;
      }
    }
    this.show(wanted);
  }

  /** Whether a puzzle could be shown: what was saved may be of another version. */
  private lay(read: Read): boolean {
    try {
      this.play?.set(read, null);
    } catch {
      return false;
    }
    this.puzzle = read;
    rememberOpen(read);
    document.title = `${read.name} · milp-pips`;
    return true;
  }

  private complain(said: string): void {
    const line = h("p", { class: "fault banner", role: "alert" }, said);
    this.main.before(line);
    setTimeout(() => line.remove(), 15_000);
  }
}

/** The examples; those of the static page are there before Python is. */
async function loadExamples(): Promise<{ puzzles: Read[] }> {
  return where === "local"
    ? ask("examples", {})
    : ((await fetch("examples.json")).json() as Promise<{ puzzles: Read[] }>);
}

/** The dates of the folder of days, and the address for links. */
async function loadServed(): Promise<{ days: string[]; address: string | null }> {
  try {
    return (await (await fetch("days.json")).json()) as { days: string[]; address: string | null };
  } catch {
    return { days: [], address: null };
  }
}

/** The puzzles of a date of the folder of days. */
async function readDay(date: string): Promise<Read[]> {
  const answer = await fetch(`days/${date}`);
  if (!answer.ok) throw new Error("it is no longer in the folder");
  const { text } = (await answer.json()) as { text: string };
  const { puzzles } = await ask<{ puzzles: Read[] }>("read", { file: { name: `${date}.json`, text } });
  return puzzles.map((read) => ({ ...read, day: { date, level: read.name.split("-").at(-1) ?? "" } }));
}

void new Page().begin();
