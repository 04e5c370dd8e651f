import { z } from 'zod';

const reportSchema = z.looseObject({
  userLimits: z.looseObject({
    open_files: z.looseObject({ soft: z.union([z.number(), z.string()]) }),
  }),
});

/** How many files and connections this process may have open; null where the system sets no limit or does not say. */
export function openFileLimit(): number | null {
  // Without this the report would look up the name of every network address.
  Object.assign(process.report, { excludeNetwork: true });
  const report = reportSchema.safeParse(process.report.getReport());
  if (!report.success) return null;
  const limit = Number(report.data.userLimits.open_files.soft);
  return Number.isFinite(limit) && limit > 0 ? limit : null;
}
