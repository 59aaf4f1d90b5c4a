/** The repository a command is about, and the project id that names its workflows and files. */
import { inspectRepository, projectId, type Repository } from '../git/repository.js';
import type { Context } from './context.js';

export interface Project {
  id: string;
  repository: Repository;
}

/** @throws RepositoryError when the folder is not inside a usable git repository. */
export async function findProject(context: Context): Promise<Project> {
  const repository = await inspectRepository(context.cwd);
  return { id: await projectId(repository.root), repository };
}
