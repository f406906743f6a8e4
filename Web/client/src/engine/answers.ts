import { storeAnswer } from "../state/answers.js";
import type { Answer } from "../state/answers.js";
import type { Question } from "../state/question.js";
import type { EngineContext } from "./context.js";

/** Stores a server's response to a query. Throws if it is refused; then nothing was stored. */
export function store(engine: EngineContext, answer: Answer, question: Question | null): void {
  const query = storeAnswer(engine.state, answer, question, engine.now());
  engine.distribute();
  if (engine.refreshes === null) engine.followExpiry();
  else engine.refreshes.answered(query);
  engine.noteChanged();
}
