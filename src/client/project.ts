/** The repository a command is about, and the project id that names its workflows and files. */
import { integrationDir, wallDir, worktreesDir } from '../config/paths.js';
import { inspectRepository, projectId, type Repository } from '../git/repository.js';
import { findWall } from '../git/wall.js';
import type { Context } from './context.js';

export interface Project {
  id: string;
  repository: Repository;
}

/** @throws RepositoryError when the folder is not inside a usable git repository. */
export async function findProject(context: Context): Promise<Project> {
  const repository = await inspectRepository(context.cwd);
  const id = await projectId(repository.root);
  const { root, commonDir } = repository;
  const linked = [worktreesDir(context.root, id), integrationDir(context.root, id)];
  // A command that only looks runs no program of an agent either.
  await findWall({ commonDir, root, linked, dir: wallDir(context.root, id) });
  return { id, repository };
}
