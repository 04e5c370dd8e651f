-- Run once by the image postgres, when its volume is empty: a role without superuser rights that owns the database. The superuser loses
-- its password, so that nobody can sign in as superuser from outside of the container.
\getenv password POSTGRES_PASSWORD
CREATE ROLE store_sync LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
CREATE DATABASE store_sync OWNER store_sync;
ALTER ROLE postgres PASSWORD NULL;
