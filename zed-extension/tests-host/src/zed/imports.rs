//! What the extension may ask of the editor, answered from what the test has said.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use wasmtime::component::Resource;

use super::{Worktree, Zed};
use crate::world::zed::extension::github::{self, GithubRelease, GithubReleaseAsset};
use crate::world::zed::extension::http_client::{self, HttpRequest, HttpResponse};
use crate::world::zed::extension::platform::{self, Architecture, Os};
use crate::world::{
    DownloadedFileType, ExtensionImports, HostWorktree, LanguageServerInstallationStatus,
    SettingsLocation,
};

impl ExtensionImports for Zed {
    fn get_settings(
        &mut self,
        location: Option<SettingsLocation>,
        category: String,
        key: Option<String>,
    ) -> Result<String, String> {
        let place = location.map(|location| (location.worktree_id, location.path));
        if (place, category.as_str(), key.as_deref())
            != (Some((7, String::new())), "lsp", Some("pollux"))
        {
            return Err(format!("nobody has settings of {category} {key:?}"));
        }
        // Zed leaves nothing out, and has no other keys than these.
        let own = self.settings.clone()?;
        let mut all = json!({"binary": null, "initialization_options": null, "settings": null});
        for (key, value) in own.as_object().into_iter().flatten() {
            match all.get_mut(key) {
                Some(place) => *place = value.clone(),
                None => return Err(format!("`{key}` is no setting")),
            }
        }
        Ok(all.to_string())
    }

    fn download_file(
        &mut self,
        url: String,
        file_path: String,
        file_type: DownloadedFileType,
    ) -> Result<(), String> {
        self.log.push(format!("download {url} to {file_path}"));
        if !matches!(file_type, DownloadedFileType::GzipTar) {
            return Err("only archives are here".to_owned());
        }
        let files = self.archives.get(&url).ok_or("404")?;
        let folder = self.work.path().join(file_path);
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        for (name, bytes) in files {
            fs::write(folder.join(name), bytes).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn make_file_executable(&mut self, filepath: String) -> Result<(), String> {
        let path = self.work.path().join(filepath);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))
            .map_err(|error| error.to_string())
    }

    fn set_language_server_installation_status(
        &mut self,
        language_server_name: String,
        status: LanguageServerInstallationStatus,
    ) {
        use LanguageServerInstallationStatus as Status;
        let status = match status {
            Status::None => "none".to_owned(),
            Status::Downloading => "downloading".to_owned(),
            Status::CheckingForUpdate => "checking".to_owned(),
            Status::Failed(why) => format!("failed: {why}"),
        };
        self.log
            .push(format!("status of {language_server_name}: {status}"));
    }
}

impl HostWorktree for Zed {
    fn id(&mut self, _worktree: Resource<Worktree>) -> u64 {
        7
    }

    fn root_path(&mut self, _worktree: Resource<Worktree>) -> String {
        "/project".to_owned()
    }

    fn read_text_file(
        &mut self,
        _worktree: Resource<Worktree>,
        path: String,
    ) -> Result<String, String> {
        Err(format!("the extension has no business in {path}"))
    }

    fn which(&mut self, _worktree: Resource<Worktree>, binary_name: String) -> Option<String> {
        self.log.push(format!("which {binary_name}"));
        self.on_path.clone().filter(|_| binary_name == "pollux")
    }

    fn shell_env(&mut self, _worktree: Resource<Worktree>) -> Vec<(String, String)> {
        Vec::new()
    }

    fn drop(&mut self, worktree: Resource<Worktree>) -> wasmtime::Result<()> {
        self.table.delete(worktree)?;
        Ok(())
    }
}

impl platform::Host for Zed {
    fn current_platform(&mut self) -> (Os, Architecture) {
        self.platform
    }
}

impl github::Host for Zed {
    fn latest_github_release(
        &mut self,
        repo: String,
        _options: github::GithubReleaseOptions,
    ) -> Result<GithubRelease, String> {
        Err(format!("the newest release of {repo} may not fit"))
    }

    fn github_release_by_tag_name(
        &mut self,
        repo: String,
        tag: String,
    ) -> Result<GithubRelease, String> {
        self.log.push(format!("release {tag} of {repo}"));
        let assets = self.releases.get(&tag).ok_or("no such release")?;
        let assets = assets.iter().map(|asset| GithubReleaseAsset {
            name: asset.name.clone(),
            download_url: asset.address.clone(),
        });
        Ok(GithubRelease {
            assets: assets.collect(),
            version: tag,
        })
    }
}

impl http_client::Host for Zed {
    fn fetch(&mut self, req: HttpRequest) -> Result<HttpResponse, String> {
        self.log.push(format!("fetch {}", req.url));
        // GitHub answers with a redirect.
        if !matches!(req.redirect_policy, http_client::RedirectPolicy::FollowAll) {
            return Err("302".to_owned());
        }
        let body = self.texts.get(&req.url).ok_or("404")?;
        Ok(HttpResponse {
            headers: Vec::new(),
            body: body.clone().into_bytes(),
        })
    }

    fn fetch_stream(
        &mut self,
        req: HttpRequest,
    ) -> Result<Resource<http_client::HttpResponseStream>, String> {
        Err(format!("there is no stream of {}", req.url))
    }
}

impl http_client::HostHttpResponseStream for Zed {
    fn next_chunk(
        &mut self,
        _stream: Resource<http_client::HttpResponseStream>,
    ) -> Result<Option<Vec<u8>>, String> {
        Err("there are no streams".to_owned())
    }

    fn drop(&mut self, _stream: Resource<http_client::HttpResponseStream>) -> wasmtime::Result<()> {
        Ok(())
    }
}
