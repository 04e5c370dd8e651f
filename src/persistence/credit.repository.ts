import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Database } from './database.js';

const dayRow = z.object({ workspace: z.string(), day: z.string(), credits: z.number() });
/** The credits that results of one day (`2026-11-22`, UTC) consumed. */
export type CreditDay = z.infer<typeof dayRow>;

const creditsRow = z.object({ credits: z.number().nullable() });

const meanRow = creditsRow.extend({ workspace: z.string() });

/** Results whose credits say what the next one costs. */
const RESULTS_COMPARED = 50;

/** The mean of the last results of a workspace. SQL: over the newest rows of an index. */
export function creditsEach(workspace: string): string {
  return `(SELECT avg(credits_consumed)::double precision FROM (SELECT credits_consumed FROM write_back
    WHERE write_back.workspace = ${workspace} AND credits_consumed IS NOT NULL
    ORDER BY created_at DESC LIMIT ${String(RESULTS_COMPARED)}) AS newest)`;
}

/** The cost of generated results, as the service reported it with each of them. Reads only. */
@Injectable()
export class CreditRepository {
  constructor(private readonly db: Database) {}

  /** The mean of the workspace's last results; null while none has named its credits. */
  async perGeneration(workspace: string): Promise<number | null> {
    return (await this.perGenerationOf([workspace])).get(workspace) ?? null;
  }

  /** The same by workspace. */
  async perGenerationOf(workspaces: readonly string[]): Promise<ReadonlyMap<string, number | null>> {
    const rows = await this.db.read(
      meanRow,
      `SELECT wanted.key AS workspace, ${creditsEach('wanted.key')} AS credits FROM unnest($1::text[]) AS wanted(key)`,
      [workspaces],
    );
    return new Map(rows.map(({ workspace, credits }) => [workspace, credits]));
  }

  /** Credits by day since then, oldest first; days without results are absent. */
  async days(workspaces: readonly string[], since: Date): Promise<CreditDay[]> {
    return this.db.read(
      dayRow,
      // SQL: sums by day.
      `SELECT workspace, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, sum(credits_consumed) AS credits
       FROM write_back WHERE workspace = ANY($1) AND credits_consumed IS NOT NULL AND created_at >= $2
       GROUP BY 1, 2 ORDER BY 1, 2`,
      [workspaces, since],
    );
  }

  /** The credits of the content that a run asked for; null while no result has named any. */
  async ofRun(runId: string): Promise<number | null> {
    const { credits } = await this.db.one(
      creditsRow,
      // SQL: the sum over the results of one run.
      'SELECT sum(credits_consumed) AS credits FROM write_back WHERE run_id = $1',
      [runId],
    );
    return credits;
  }
}
