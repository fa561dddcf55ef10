/** A change of one place in one file. */
export interface Edit {
  file: string;
  replace: string;
  with: string;
}

/** What the agent is asked to do: the file it is given. */
export interface Task {
  goal: string;
  /** The folder with the project, beside the task. */
  project: string;
  test: string;
  /** What to try, one after the other, while the tests fail. */
  attempts: Edit[];
  /** Starts the service on the port in `PORT`, and prints when it listens. */
  serve: string;
  /** What to ask the service. */
  ask: string;
  /** Something bold, to be tried on a copy. */
  experiment: Edit;
}

export type Action =
  | { do: 'upload' }
  | { do: 'test'; on?: 'copy' }
  | { do: 'edit'; edit: Edit; on?: 'copy' }
  | { do: 'serve' }
  | { do: 'ask' }
  | { do: 'rest' }
  | { do: 'copy' };

/** What came of an action. */
export interface Observation {
  isGood: boolean;
}

/** Decides what to do next by what came of it, as a model would; this one follows a script. */
export function* plan({ attempts, experiment }: Task): Generator<Action, boolean, Observation> {
  yield { do: 'upload' };
  let tests = yield { do: 'test' };
  for (const edit of attempts) {
    if (tests.isGood) break;
    yield { do: 'edit', edit };
    tests = yield { do: 'test' };
  }
  if (!tests.isGood) return false;
  yield { do: 'serve' };
  const answer = yield { do: 'ask' };
  yield { do: 'copy' };
  yield { do: 'edit', edit: experiment, on: 'copy' };
  yield { do: 'test', on: 'copy' };
  yield { do: 'rest' };
  const again = yield { do: 'ask' };
  const last = yield { do: 'test' };
  return answer.isGood && again.isGood && last.isGood;
}
